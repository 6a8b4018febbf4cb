/** An immutable list whose updates share all that did not change. */
export interface Sequence<T> extends Iterable<T> {
  readonly length: number
  /** The item at a position; negative positions count from the end. */
  at(position: number): T | undefined
}
