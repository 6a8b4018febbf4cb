import { type Envelope, traitsOf } from 'millrace'
import { difference } from '../../differences.ts'
import type { FoundStream } from '../flow-found.ts'

/** The mark of the end of a stream among its types. */
const DONE = '[DONE]'

/**
 * Compares the types of envelopes with those of a case. `text+` is one or more `text` up to a final one, as for every
 * type; extensions only count if the case names them.
 */
export function matchTypes(wanted: readonly string[], streams: readonly FoundStream[]): string[] {
  const named = new Set(wanted.map((type) => type.replace(/\+$/, '')))
  const counts = ({ type }: Envelope) => traitsOf(type)?.origin === 'seed' || named.has(type)
  const found = streams.flatMap(({ messages, done }) => [
    ...messages.filter(counts).map(({ type, final }) => ({ type, final })),
    ...(done ? [{ type: DONE, final: true }] : []),
  ])
  const types = fold(found, new Set(wanted))
  const isSame = types.length === wanted.length && types.every((type, at) => type === wanted[at])
  return isSame ? [] : [difference('types', wanted, types)]
}

/** Joins envelopes of a type that the case names with `+`, up to the final one. */
function fold(
  messages: readonly { readonly type: string; readonly final: boolean }[],
  wanted: ReadonlySet<string>,
): string[] {
  const types: string[] = []
  let open: string | undefined
  for (const { type, final } of messages) {
    const isMany = wanted.has(`${type}+`)
    if (!isMany || open !== type) types.push(isMany ? `${type}+` : type)
    open = isMany && !final ? type : undefined
  }
  // An unfinished block does not match.
  return open === undefined ? types : [...types, `${open} without its final message`]
}
