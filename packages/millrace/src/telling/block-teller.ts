import { blockKey, type Envelope, joinContinued, traitsOf } from '../envelope/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { JsonObject } from '../json/index.ts'
import type { Telling, ToldBlock, ToldBlockType, ToldCitation } from './telling.ts'

/** How many UTF-16 units of arguments may be held for calls that are not whole. */
const MAX_HELD_LENGTH = 64 * 1024 * 1024

/** A block that grows; it is told of once its fields are whole. */
interface OpenBlock {
  readonly key: string
  /** What is known of its fields. */
  head: Envelope
  block: ToldBlock | undefined
  /** What came before the fields were whole. */
  early: string
  input: string
}

/** A text that is over, and which citations may still follow. [LIFE-3] */
interface WaitingText {
  readonly block: ToldBlock
  readonly isInterrupted: boolean
  readonly citations: ToldCitation[]
}

/** Follows the blocks that are told while they grow. */
export class BlockTeller {
  #tellings: Telling[] = []
  readonly #open = new Map<string, OpenBlock>()
  readonly #waiting = new Map<string, WaitingText>()
  /** What each agent has shown that may be taken back. [LIFE-8] */
  readonly #shown = new Map<string, ToldBlock[]>()
  #held = 0

  takes({ type }: Envelope): boolean {
    return traitsOf(type)?.grows === true
  }

  say(telling: Telling): void {
    this.#tellings.push(telling)
  }

  drain(): readonly Telling[] {
    const tellings = this.#tellings
    this.#tellings = []
    return tellings
  }

  take(envelope: Envelope, key: string): void {
    const name = blockKey(envelope)
    this.settle(envelope.agent)
    const open = this.#open.get(name) ?? {
      key,
      head: envelope,
      block: undefined,
      early: '',
      input: '',
    }
    if (open.block === undefined) this.#begin(open, envelope)
    this.#grow(open, envelope.delta)
    if (!envelope.final) {
      this.#open.set(name, open)
      return
    }
    this.#open.delete(name)
    this.#end(open, envelope['interrupted'] === true)
  }

  cite(whole: Envelope): void {
    const { type, agent, final, delta: citedText, id, more, span, ...fields } = whole
    // A decoded message holds nothing but JSON.
    this.#waiting.get(agent)?.citations.push({ citedText, fields: fields as JsonObject })
  }

  /** Ends a text that was waiting for its citations. */
  settle(agent: string): void {
    const waiting = this.#waiting.get(agent)
    if (waiting === undefined) return
    this.#waiting.delete(agent)
    this.say({ type: 'block_end', agent, ...waiting, input: '' })
  }

  /** Ends everything: what is open was cut. */
  endAll(): void {
    for (const open of this.#open.values()) this.#end(open, true)
    this.#open.clear()
    for (const agent of this.#waiting.keys()) this.settle(agent)
  }

  /** Nothing that an agent has shown so far can be taken back any more. */
  keep(agent: string): void {
    this.#shown.delete(agent)
  }

  takeBack(agent: string): readonly ToldBlock[] {
    const shown = this.#shown.get(agent) ?? []
    this.#shown.delete(agent)
    return shown
  }

  #begin(open: OpenBlock, envelope: Envelope): void {
    open.head = open.head === envelope ? envelope : joinContinued(open.head, envelope)
    if (open.head.more !== undefined) return
    const block = toBlock(open.key, open.head)
    open.block = block
    const { agent } = block
    this.say({ type: 'block_start', agent, block })
    const shown = this.#shown.get(agent)
    if (shown === undefined) this.#shown.set(agent, [block])
    else shown.push(block)
    const { early } = open
    this.#held -= early.length
    open.early = ''
    this.#tell(open, early)
  }

  #grow(open: OpenBlock, delta: string): void {
    if (open.block !== undefined) return this.#tell(open, delta)
    open.early += delta
    this.#hold(delta.length)
  }

  #tell(open: OpenBlock, delta: string): void {
    const { block } = open
    if (delta === '' || block === undefined) return
    if (block.toolUseId !== '') {
      open.input += delta
      this.#hold(delta.length)
    }
    this.say({ type: 'block_delta', agent: block.agent, block, delta })
  }

  #end(open: OpenBlock, isInterrupted: boolean): void {
    const { block, input, early } = open
    this.#held -= input.length + early.length
    if (block === undefined) return
    const { agent } = block
    if (block.type === 'text') {
      this.settle(agent)
      this.#waiting.set(agent, { block, citations: [], isInterrupted })
    } else this.say({ type: 'block_end', agent, block, input, citations: [], isInterrupted })
  }

  #hold(length: number): void {
    this.#held += length
    if (this.#held <= MAX_HELD_LENGTH) return
    throw new MillraceError(
      'frame_too_large',
      `Calls that are not whole hold more than ${MAX_HELD_LENGTH} characters of arguments.`,
    )
  }
}

function toBlock(key: string, head: Envelope): ToldBlock {
  const { type, agent, final, delta, id = '', name, more, span, interrupted, ...fields } = head
  const isCall = type.endsWith('call')
  return {
    // The caller has looked the type up.
    type: type as ToldBlockType,
    agent,
    key,
    toolUseId: isCall ? id : '',
    name: typeof name === 'string' ? name : '',
    fields: fields as JsonObject,
  }
}
