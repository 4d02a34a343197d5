// A long column of blocks, of which only those near the window are filled.

const MARGIN = "600px 0px";

export class Blocks {
  #root;
  #fill;
  #elements = [];
  #near = new Set();
  #observer;

  /** fill(index) -> Node with the content of a block. */
  constructor(root, fill) {
    this.#root = root;
    this.#fill = fill;
    this.#observer = new IntersectionObserver((entries) => this.#observe(entries), {
      rootMargin: MARGIN,
      scrollMargin: MARGIN,
    });
  }

  /**
   * Show `count` blocks. isSame(i): block i looks as it did, so it can stay.
   * height(i): pixels to guess for a block that was never filled.
   */
  update(count, isSame, height) {
    while (this.#elements.length > count) this.#drop(this.#elements.pop());
    let room = this.#root.clientHeight || window.innerHeight;
    for (let i = 0; i < count; i++) {
      const element = this.#elements[i] ?? this.#add();
      const filled = element.firstChild !== null;
      if (filled && isSame(i)) continue;
      const guess = height(i);
      element.style.minHeight = `${guess}px`;
      if (this.#near.has(element) || room > 0) this.#draw(element);
      else element.replaceChildren();
      room -= guess;
    }
  }

  #add() {
    const element = document.createElement("div");
    element.className = "block";
    element.dir = "auto";
    this.#elements.push(element);
    this.#root.append(element);
    this.#observer.observe(element);
    return element;
  }

  #drop(element) {
    this.#observer.unobserve(element);
    this.#near.delete(element);
    element.remove();
  }

  #draw(element) {
    element.replaceChildren(this.#fill(this.#elements.indexOf(element)));
    element.style.minHeight = "";
  }

  #observe(entries) {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      if (isIntersecting) {
        this.#near.add(target);
        if (!target.firstChild) this.#draw(target);
      } else if (this.#near.delete(target)) {
        target.style.minHeight = `${boundingClientRect.height}px`;
        target.replaceChildren();
      }
    }
  }
}
