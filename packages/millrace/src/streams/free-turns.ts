const maxHeldTurns = 50

let holds = 0

const soon = (call: () => void): void => {
  // A turn of `setImmediate` has no delay.
  if (typeof setImmediate === 'function') setImmediate(call)
  else setTimeout(call, 0)
}

/**
 * Reserves this turn of the event loop and the next one for new connections. Node accepts one connection a turn, so
 * other work in a turn delays all pending connections.
 */
export function holdTurns(): void {
  holds++
  soon(() => soon(() => holds--))
}

/** Calls back in the next turn of the event loop that is not reserved, or after 50 turns. */
export function inFreeTurn(call: () => void, heldTurns = 0): void {
  soon(() => {
    if (holds > 0 && heldTurns < maxHeldTurns) inFreeTurn(call, heldTurns + 1)
    else call()
  })
}
