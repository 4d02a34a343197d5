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
   * height(i): pixels to guess for a block that is not drawn.
   */
  update(count, isSame, height) {
    if (!this.#elements.length) this.#root.replaceChildren(); // what the site was built with
    while (this.#elements.length > count) this.#drop(this.#elements.pop());
    // With nothing on the screen yet, draw a window's worth instead of waiting to be told.
    let room = this.#near.size ? 0 : this.#root.clientHeight || window.innerHeight;
    for (let i = 0; i < count; i++) {
      const element = this.#elements[i] ?? this.#add();
      if (element.firstChild && isSame(i)) continue;
      const guess = height(i);
      if (this.#near.has(element) || room > 0) this.#draw(element, i);
      else this.#empty(element, guess);
      room -= guess;
    }
  }

  indexOf(element) {
    return this.#elements.indexOf(element);
  }

  /** The element of a block, with its content. */
  filled(index) {
    const element = this.#elements[index];
    if (!element.firstChild) this.#draw(element, index);
    return element;
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

  #draw(element, index) {
    element.replaceChildren(this.#fill(index));
    element.style.minHeight = "";
  }

  #empty(element, height) {
    element.replaceChildren();
    element.style.minHeight = `${height}px`;
  }

  #observe(entries) {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      if (isIntersecting) {
        this.#near.add(target);
        if (!target.firstChild) this.#draw(target, this.#elements.indexOf(target));
      } else if (this.#near.delete(target)) {
        this.#empty(target, boundingClientRect.height);
      }
    }
  }
}
