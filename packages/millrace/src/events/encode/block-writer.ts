import type { BlockDelta, BlockEnd, BlockStart } from '../model-event.ts'
import type { EventBase, TextCitation } from '../agent-event.ts'
import { blockPlaces } from './block-place.ts'
import type { FrameSink } from './frame-sink.ts'
import { type WrittenBlock, openBlock } from './open-block.ts'

/** Writes the blocks of all agents and tracks the open ones. */
export interface BlockWriter {
  readonly start: (event: BlockStart & EventBase) => void
  readonly delta: (event: BlockDelta & EventBase) => void
  readonly citation: (event: TextCitation) => void
  readonly end: (event: BlockEnd & EventBase) => void
  /** Closes the open blocks of an agent. [LIFE-2] */
  readonly close: (agent: string) => void
  readonly closeAll: () => void
}

/** Creates a writer of blocks; with `isInputLive` tool input is sent while the model writes it. [MAP-4] */
export function createBlockWriter(sink: FrameSink<unknown>, isInputLive: boolean): BlockWriter {
  const agents = new Map<string, Map<number, WrittenBlock>>()
  let count = 0

  function close(agent: string): void {
    for (const block of agents.get(agent)?.values() ?? []) block.cut()
    agents.delete(agent)
  }

  return {
    start(event) {
      const blocks = agents.get(event.agent) ?? new Map<number, WrittenBlock>()
      agents.set(event.agent, blocks)
      blocks.get(event.block)?.cut()
      blocks.delete(event.block)
      const spareId = `block_${count++}`
      const isAmbiguous = hasTwin(blocks.values(), event)
      blocks.set(event.block, openBlock(sink, event, { spareId, isAmbiguous, isInputLive }))
    },
    delta({ agent, block, text }) {
      agents.get(agent)?.get(block)?.delta(text)
    },
    citation(event) {
      agents.get(event.agent)?.get(event.block)?.citation(event)
    },
    end(event) {
      const blocks = agents.get(event.agent)
      blocks?.get(event.block)?.end(event)
      blocks?.delete(event.block)
    },
    close,
    closeAll() {
      for (const agent of agents.keys()) close(agent)
    },
  }
}

/** Checks for an open block of the same type; without ids, only one of a type can be open. */
function hasTwin(open: Iterable<WrittenBlock>, { kind }: BlockStart): boolean {
  const place = blockPlaces[kind]
  return place.emission === 'streamed' && [...open].some((block) => block.place === place)
}
