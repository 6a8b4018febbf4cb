/** How often a delivery is tried at most. */
export const MAX_ATTEMPTS = 8

/** Each retry comes so many times later than the one before. */
const FACTOR = 5

/** Retries are spread by so much, so that those of many events do not come together. */
const SPREAD = 0.2

/**
 * Milliseconds from now to the next attempt of a delivery that has failed, by its age; undefined if none is left. The attempts have their places
 * in the life of an event, so that no count has to be stored and a restart adds none. With the default of 5 s
 * they are after about 5 s, 30 s, 2.5 min, 13 min, 1 h, 5.5 h and 27 h.
 */
export function retryDelay(
  ageMs: number,
  retryMs: number,
  random: () => number = Math.random,
): number | undefined {
  let place = 0
  for (let retry = 0; retry < MAX_ATTEMPTS - 1; retry++) {
    place += retryMs * FACTOR ** retry
    if (place * (1 - SPREAD) <= ageMs) continue
    return place * (1 - SPREAD + 2 * SPREAD * random()) - ageMs
  }
  return undefined
}
