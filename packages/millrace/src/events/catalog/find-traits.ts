import { catalog } from './catalog.ts'
import type { EnvelopeTraits } from './envelope-traits.ts'

const rows = new Map<string, EnvelopeTraits>(Object.entries(catalog))
/** Rows of older types come first, so that current types replace them. */
const typesByEvent = new Map<string, string>(
  [...rows].map(([type, row]): [string, string] => [row.event ?? type, type]).reverse(),
)

/** Returns the traits of a frame type; undefined for a type of a newer version. */
export function traitsOf(type: string): EnvelopeTraits | undefined {
  return rows.get(type)
}

/** Returns the traits of an event by its name; undefined for an event of a newer version. */
export function traitsOfEvent(name: string): EnvelopeTraits | undefined {
  return rows.get(typeOfEvent(name))
}

/** Returns the frame type of an event by its name. */
export function typeOfEvent(name: string): string {
  return typesByEvent.get(name) ?? name
}

/** Runs a function with an additional row in the catalogue; for tests. */
export async function withRow(
  type: string,
  row: EnvelopeTraits,
  run: () => Promise<void> | void,
): Promise<void> {
  const event = row.event ?? type
  rows.set(type, row)
  typesByEvent.set(event, type)
  try {
    await run()
  } finally {
    rows.delete(type)
    typesByEvent.delete(event)
  }
}

/** Lists the frame types whose row has a trait. */
export function typesWith(trait: keyof EnvelopeTraits): readonly string[] {
  return [...rows].filter(([, row]) => row[trait] !== undefined).map(([type]) => type)
}

/** Checks for the stop reason of a pause, which is the type of the frame that announces it. [LIFE-12] */
export function isPauseReason(stopReason: unknown): boolean {
  return typeof stopReason === 'string' && traitsOf(stopReason)?.phase === 'paused'
}

/** Checks for a type whose blocks are text that readers get as it grows. */
export function isProse(type: unknown): type is 'text' | 'thinking' {
  return typeof type === 'string' && traitsOf(type)?.emission === 'incremental'
}

/** Checks for a call, or a result, of a tool that runs at the provider. */
export function isOfProvider(type: string): boolean {
  return traitsOf(type)?.isOfProvider === true
}

/** Checks for a type whose closing frame can mark its block as interrupted. [LIFE-14] */
export function canBeInterrupted(type: string): boolean {
  return traitsOf(type)?.optional?.['interrupted'] !== undefined
}
