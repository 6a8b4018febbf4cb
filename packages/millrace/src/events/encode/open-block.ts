import type { Extras } from '../envelope/envelope.ts'
import { type BlockEnd, type BlockStart } from '../model-event.ts'
import { type Citation, toCitation } from '../citation.ts'
import { type EventBase } from '../agent-event.ts'
import { isJsonObject, isJsonPrefix } from '../../json/index.ts'
import { type BlockPlace, blockPlaces } from './block-place.ts'
import type { FrameSink } from './frame-sink.ts'

/** A block between its start and its end. */
export interface WrittenBlock {
  readonly place: BlockPlace
  delta(text: string): void
  citation(citation: Citation): void
  end(event: BlockEnd): void
  /** Closes a block that the model left open, as interrupted; a block without frames needs no end. [LIFE-14] */
  cut(): void
}

interface OpenBlockOptions {
  /** The id for a block without one. */
  readonly spareId: string
  /** Whether it could be confused with another open block. [ENV-7] */
  readonly isAmbiguous: boolean
  /** Whether tool input is sent while the model writes it. [MAP-4] */
  readonly isInputLive: boolean
}

/** Opens a block; its first frame is sent with its first content. [MAP-5] */
export function openBlock(
  sink: FrameSink<unknown>,
  { agent, kind, content }: BlockStart & EventBase,
  { spareId, isAmbiguous, isInputLive }: OpenBlockOptions,
): WrittenBlock {
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
    delta(text) {
      if (send === undefined || text === '') return
      isSeen = true
      send(text)
    },
    citation(citation) {
      held.push(citation)
    },
    end(event) {
      // The provider also closes a call that reached the token limit.
      const isInterrupted = emission === 'input' && isJsonPrefix(place.payload(event))
      if (isSeen || emission === 'streamed') return close(citationsOf(event, held), isInterrupted)
      const wholeExtras = { ...place.extras(event.content, spareId), ...mark(isInterrupted) }
      sink.put({ type, agent, payload: place.payload(event), extras: wholeExtras })
    },
    cut() {
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
