import { MillraceError } from '../../errors/index.ts'
import type { Message } from '../../events/index.ts'
import type { StoredState } from '../port/index.ts'
import type { CompactedContext } from './agent-state.ts'
import type { LaneStart, StoredStart } from './lane-start.ts'
import { type LanePart, type ListName, mapBlocks } from './state-parts.ts'
import type { Lists } from './state-writer.ts'

/** Missing parts with fewer others between them are read together: another request costs more than these. */
const NEAR_PARTS = 8

type ListEdit = Exclude<LanePart, { readonly value: unknown }>

/** Reads the parts of a lane, and applies them in their order. */
export class LaneReader {
  readonly values = new Map<number, object>()
  /** The number of the last part of the ranges that were read. */
  count = 0
  readonly #stored: StoredState
  readonly #number: number
  readonly #edits: ListEdit[] = []

  constructor(stored: StoredState, number: number) {
    this.#stored = stored
    this.#number = number
  }

  async read(range: { readonly after: number; readonly upTo: number }): Promise<void> {
    for await (const { number, body } of this.#stored.parts(this.#number, range)) {
      const part = decodePart(body)
      if ('value' in part) this.values.set(number, part.value as object)
      else this.#edits.push(part)
      this.count = number
    }
  }

  /** Reads the parts outside the ranges that some of the values refer to. */
  async readMissing(values: readonly unknown[]): Promise<void> {
    const found = new Set(values.map(referenceIn).filter((number) => number !== undefined))
    for (const range of toRanges([...found].filter((number) => !this.values.has(number)))) {
      for await (const { number, body } of this.#stored.parts(this.#number, range)) {
        const part = decodePart(body)
        if (found.has(number) && 'value' in part) this.values.set(number, part.value as object)
      }
    }
  }

  /** Reads where a lane begins; its part was read. */
  async readStart(part: number): Promise<LaneStart> {
    const start = this.values.get(part) as StoredStart | undefined
    if (start === undefined) throw missing(`part ${part}`)
    await this.readMissing(start.calls)
    const calls = start.calls.map(({ $part: number }) => {
      const ids: unknown = this.resolve({ $part: number })
      return { number, ids: ids as readonly string[] }
    })
    return { ...start, calls, part }
  }

  /** Returns lists as the parts leave them, messages from index `start` on. */
  async fold(names: readonly ListName[], start = 0): Promise<Lists> {
    const lists: { [Name in ListName]?: unknown[] } = {}
    for (const { list: name, at, add } of this.#edits) {
      if (!names.includes(name)) continue
      if (add === null) {
        delete lists[name]
        continue
      }
      const first = name === 'messages' ? start : 0
      const list = (lists[name] ??= [])
      list.length = Math.max(0, at - first)
      for (const item of add.slice(Math.max(0, first - at))) list.push(item)
    }
    return this.#resolveLists(lists)
  }

  /** Returns the value that a reference names, or the value itself if it is none. */
  readonly resolve = <Value>(value: Value): Value => {
    const number = referenceIn(value)
    if (number === undefined) return value
    const found = this.values.get(number)
    if (found === undefined) throw missing(`part ${number}`)
    return found as Value
  }

  readonly resolveContext = (reference: CompactedContext): CompactedContext => {
    const stored = this.resolve(reference)
    const messages = stored.messages.map((message) => mapBlocks(message, this.resolve))
    const context = { ...stored, messages }
    // The writer recognises it by identity.
    this.values.set(referenceIn(reference) ?? 0, context)
    return context
  }

  async #resolveLists({ messages, ...others }: Lists): Promise<Lists> {
    const said = (messages ?? []) as readonly Message[]
    const items = Object.values(others).flatMap((list) => list ?? [])
    await this.readMissing([...said.flatMap(({ content }) => content), ...items])
    const resolved = Object.entries(others).map(([name, list]) => [name, list?.map(this.resolve)])
    return {
      ...(messages && { messages: said.map((message) => mapBlocks(message, this.resolve)) }),
      ...(Object.fromEntries(resolved) as Lists),
    }
  }
}

/** Groups numbers that are near each other. */
function toRanges(numbers: readonly number[]): { after: number; upTo: number }[] {
  const ranges: { after: number; upTo: number }[] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last === undefined || number - last.upTo > NEAR_PARTS)
      ranges.push({ after: number - 1, upTo: number })
    else last.upTo = number
  }
  return ranges
}

function referenceIn(value: unknown): number | undefined {
  const { $part } = value as { readonly $part?: unknown }
  return typeof $part === 'number' ? $part : undefined
}

function decodePart(body: string): LanePart {
  return JSON.parse(body) as LanePart
}

/** Creates the error for a stored state without one of its parts. */
export function missing(thing: string): MillraceError {
  return new MillraceError('internal', `The stored state is incomplete: ${thing} is missing.`)
}
