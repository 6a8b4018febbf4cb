import type { Claim } from '../port/index.ts'

/** The claims of a session, by their names. */
export type MemoryClaims = Map<string, { readonly holder: string; readonly until: number }>

/** A claim that is asked for, at a time in milliseconds; with no time to last, the holder gives it up. */
export interface AskedClaim {
  readonly holder: string
  readonly ms: number
  readonly at: number
}

/** Takes a claim, unless another holder's lasts; claims that have lapsed are dropped, so that no more are kept than last. */
export function takeClaim(
  claims: MemoryClaims,
  name: string,
  { holder, ms, at }: AskedClaim,
): Claim {
  for (const [other, { until }] of claims) if (until <= at) claims.delete(other)
  const held = claims.get(name)
  if (held !== undefined && held.holder !== holder)
    return { holder: held.holder, remainingMs: held.until - at }
  if (ms > 0) claims.set(name, { holder, until: at + ms })
  else claims.delete(name)
  return { holder, remainingMs: ms }
}
