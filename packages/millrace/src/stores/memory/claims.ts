import type { Claim } from '../port/index.ts'

/** Claims of a session by name. */
export type MemoryClaims = Map<string, { readonly holder: string; readonly until: number }>

/** Takes a claim, unless another holder's claim has not lapsed. A duration of 0 releases it. Deletes lapsed claims, to limit their number. */
export function takeClaim(
  claims: MemoryClaims,
  name: string,
  { holder, ms, at }: { readonly holder: string; readonly ms: number; readonly at: number },
): Claim {
  for (const [other, { until }] of claims) if (until <= at) claims.delete(other)
  const held = claims.get(name)
  if (held !== undefined && held.holder !== holder)
    return { holder: held.holder, remainingMs: held.until - at }
  if (ms > 0) claims.set(name, { holder, until: at + ms })
  else claims.delete(name)
  return { holder, remainingMs: ms }
}
