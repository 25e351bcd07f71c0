// SPDX-License-Identifier: MIT
import { useEffect, useState } from 'preact/hooks';

/** A value that several views look at. */
export class Cell<T> {
  private readers = new Set<() => void>();
  constructor(private current: T) {}
  get value(): T {
    return this.current;
  }
  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const read of [...this.readers]) read();
  }
  listen(read: () => void): () => void {
    this.readers.add(read);
    return () => this.readers.delete(read);
  }
}

export function useCell<T>(cell: Cell<T>): T {
  const [, again] = useState(0);
  useEffect(() => {
    const off = cell.listen(() => again((n) => n + 1));
    again((n) => n + 1); // what was set between the rendering and now
    return off;
  }, [cell]);
  return cell.value;
}

/** The time, a tick a second: for ages. */
export const now = new Cell(Date.now());
setInterval(() => {
  if (!document.hidden) now.set(Date.now());
}, 1000);
