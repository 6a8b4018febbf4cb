import type { BlockDelta, BlockEnd, BlockStart } from '../model-event.ts'
import type { EventBase, TextCitation } from '../agent-event.ts'
import { blockPlaces } from './block-place.ts'
import type { FrameSink } from './frame-sink.ts'
import type { Extras } from '../envelope/envelope.ts'
import { type Citation, toCitation } from '../citation.ts'
import { isJsonObject, isJsonPrefix } from '../../json/index.ts'

/** Writes the blocks of all agents and tracks the open ones. */
export type BlockWriter = ReturnType<typeof createBlockWriter>

/** Creates a writer of blocks; with `isInputLive` tool input is sent while the model writes it. [MAP-4] */
export function createBlockWriter(sink: FrameSink<unknown>, isInputLive: boolean) {
  const agents = new Map<string, Map<number, WrittenBlock>>()
  let count = 0

  /** Closes the open blocks of an agent. [LIFE-2] */
  function close(agent: string): void {
    for (const block of agents.get(agent)?.values() ?? []) block.cut()
    agents.delete(agent)
  }

  return {
    start(event: BlockStart & EventBase): void {
      const blocks = agents.get(event.agent) ?? new Map<number, WrittenBlock>()
      agents.set(event.agent, blocks)
      blocks.get(event.block)?.cut()
      blocks.delete(event.block)
      const spareId = `block_${count++}`
      const isAmbiguous = hasTwin(blocks.values(), event)
      blocks.set(event.block, openBlock(sink, event, { spareId, isAmbiguous, isInputLive }))
    },
    delta({ agent, block, text }: BlockDelta & EventBase): void {
      agents.get(agent)?.get(block)?.delta(text)
    },
    citation(event: TextCitation): void {
      agents.get(event.agent)?.get(event.block)?.citation(event)
    },
    end(event: BlockEnd & EventBase): void {
      const blocks = agents.get(event.agent)
      blocks?.get(event.block)?.end(event)
      blocks?.delete(event.block)
    },
    close,
    closeAll(): void {
      for (const agent of agents.keys()) close(agent)
    },
  }
}

/** Checks for an open block of the same type; without ids, only one of a type can be open. */
function hasTwin(open: Iterable<WrittenBlock>, { kind }: BlockStart): boolean {
  const place = blockPlaces[kind]
  return place.emission === 'streamed' && [...open].some((block) => block.place === place)
}

type WrittenBlock = ReturnType<typeof openBlock>

interface OpenBlockOptions {
  /** The id for a block without one. */
  readonly spareId: string
  /** Whether it could be confused with another open block. [ENV-7] */
  readonly isAmbiguous: boolean
  /** Whether tool input is sent while the model writes it. [MAP-4] */
  readonly isInputLive: boolean
}

/** Opens a block; its first frame is sent with its first content. [MAP-5] */
function openBlock(
  sink: FrameSink<unknown>,
  { agent, kind, content }: BlockStart & EventBase,
  { spareId, isAmbiguous, isInputLive }: OpenBlockOptions,
) {
  const place = blockPlaces[kind]
  const { type, emission } = place
  const isLive = emission === 'streamed' || (emission === 'input' && isInputLive)
  const extras = { ...place.extras(content, spareId), ...(isAmbiguous && { id: spareId }) }
  const send = isLive ? sink.stream({ type, agent, extras }) : undefined
  const held: Citation[] = []
  let isSeen = false

  function close(citations: readonly Citation[], isInterrupted: boolean): void {
    sink.put({ type, agent, payload: '', extras: { ...extras, ...mark(isInterrupted) } })
    sendCitations(sink, agent, extras, citations)
  }

  return {
    place,
    delta(text: string): void {
      if (send === undefined || text === '') return
      isSeen = true
      send(text)
    },
    citation(citation: Citation): void {
      held.push(citation)
    },
    end(event: BlockEnd): void {
      // The provider also closes a call that reached the token limit.
      const isInterrupted = emission === 'input' && isJsonPrefix(place.payload(event))
      if (isSeen || emission === 'streamed') return close(citationsOf(event, held), isInterrupted)
      const wholeExtras = { ...place.extras(event.content, spareId), ...mark(isInterrupted) }
      sink.put({ type, agent, payload: place.payload(event), extras: wholeExtras })
    },
    /** Closes a block that the model left open, as interrupted; a block without frames needs no end. [LIFE-14] */
    cut(): void {
      if (isSeen || held.length > 0) close(held, true)
    },
  }
}

function mark(isInterrupted: boolean): Extras {
  return isInterrupted ? { interrupted: true } : {}
}

function sendCitations(
  sink: FrameSink<unknown>,
  agent: string,
  { id }: Extras,
  citations: readonly Citation[],
): void {
  for (const [index, { citedText: payload, fields }] of citations.entries()) {
    const extras = id === undefined ? fields : { id, ...fields }
    sink.put({ type: 'citation', agent, payload, extras, final: index === citations.length - 1 })
  }
}

/** Returns the citations of a block; a block that was sent whole may list more than were sent as events. */
function citationsOf({ content }: BlockEnd, held: readonly Citation[]): readonly Citation[] {
  const listed = Array.isArray(content['citations'])
    ? content['citations'].filter(isJsonObject)
    : []
  return listed.length > held.length ? listed.map(toCitation) : held
}
