/**
 * Returns a slice that does not keep the whole text alive: the engine's slices point into their parent, so a short
 * slice of a long text is copied.
 */
export function copySlice(source: string, start: number, end = source.length): string {
  const piece = source.slice(start, end)
  return piece.length * 2 < source.length ? ` ${piece}`.slice(1) : piece
}
