/** Hears what a listener is told, whether or not it fails: what only listens must not break what it listens to. */
export function ignoreErrors<Heard extends readonly unknown[]>(
  listen: (...heard: Heard) => void,
): (...heard: Heard) => void {
  return (...heard) => {
    try {
      listen(...heard)
    } catch {
      // Nobody is left who could be told.
    }
  }
}
