// How large a file is, for people.

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** 1234 -> "1.2 kB" */
export function inUnits(bytes) {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = unit && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
