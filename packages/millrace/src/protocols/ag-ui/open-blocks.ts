import type { JsonObject } from '../../json/index.ts'
import type { TellingOf, ToldBlock, ToldBlockType } from '../../telling/index.ts'
import { type AgUiFields, toMetadata, wordsOf } from './ag-ui-event.ts'
import type { Calls } from './calls.ts'
import type { Say } from './steps.ts'

/** The events that open a block, let it grow and close it. */
interface BlockEvents {
  start(block: ToldBlock, messageId: string): readonly (readonly [string, AgUiFields])[]
  delta(block: ToldBlock, delta: string): readonly [string, AgUiFields]
  end(
    block: ToldBlock,
    metadata: JsonObject | undefined,
  ): readonly (readonly [string, AgUiFields])[]
}

const text: BlockEvents = {
  start: ({ key: messageId }) => [['TEXT_MESSAGE_START', { messageId, role: 'assistant' }]],
  delta: ({ key: messageId }, delta) => ['TEXT_MESSAGE_CONTENT', { messageId, delta }],
  end: ({ key: messageId }, metadata) => [['TEXT_MESSAGE_END', { messageId, metadata }]],
}

const thinking: BlockEvents = {
  start: ({ key: messageId, fields: { redacted } }) => [
    ['REASONING_START', { messageId }],
    [
      'REASONING_MESSAGE_START',
      { messageId, role: 'reasoning', metadata: toMetadata({ redacted }) },
    ],
  ],
  delta: ({ key: messageId }, delta) => ['REASONING_MESSAGE_CONTENT', { messageId, delta }],
  end: ({ key: messageId }, metadata) => [
    ['REASONING_MESSAGE_END', { messageId, metadata }],
    ['REASONING_END', { messageId }],
  ],
}

const call: BlockEvents = {
  start: (block, parentMessageId) => {
    const { name, type, fields } = block
    const toolCallId = callIdOf(block)
    const providerExecuted = type === 'server_tool_call' || undefined
    const serverName = wordsOf(fields['server_name'])
    const metadata = toMetadata({ providerExecuted, serverName })
    const toolCallName = name
    return [['TOOL_CALL_START', { toolCallId, toolCallName, parentMessageId, metadata }]]
  },
  delta: (block, delta) => ['TOOL_CALL_ARGS', { toolCallId: callIdOf(block), delta }],
  end: (block, metadata) => [['TOOL_CALL_END', { toolCallId: callIdOf(block), metadata }]],
}

/** A call without an id cannot be answered, but it must be told from others. */
function callIdOf({ toolUseId, key }: ToldBlock): string {
  return toolUseId === '' ? key : toolUseId
}

const events: Readonly<Record<ToldBlockType, BlockEvents>> = {
  text,
  thinking,
  tool_call: call,
  server_tool_call: call,
}

/** The blocks that are open, and the messages of the assistant that calls belong to. */
export class OpenBlocks {
  readonly #say: Say
  readonly #calls: Calls
  readonly #open = new Map<string, ToldBlock>()
  /** The message of each agent's step that calls join: its latest text, else its first call. */
  readonly #messages = new Map<string, string>()

  constructor(say: Say, calls: Calls) {
    this.#say = say
    this.#calls = calls
  }

  /** An agent's next calls belong to another message. */
  turn(agent: string): void {
    this.#messages.delete(agent)
  }

  start(block: ToldBlock): void {
    if (this.#open.has(block.key)) return
    const { agent, key, type } = block
    if (type === 'text') this.#messages.set(agent, key)
    const messageId = this.#messages.get(agent) ?? key
    if (events[type] === call) {
      this.#messages.set(agent, messageId)
      this.#calls.show(callIdOf(block), { agent, messageId })
    }
    this.#open.set(key, block)
    for (const [name, fields] of events[type].start(block, messageId))
      this.#say(agent, name, fields)
  }

  /** A block that an AG-UI run has ended in is opened again in the next. */
  grow(block: ToldBlock, delta: string): void {
    this.start(block)
    const [name, fields] = events[block.type].delta(block, delta)
    this.#say(block.agent, name, fields)
  }

  end({ block, citations, isInterrupted }: TellingOf<'block_end'>): void {
    this.start(block)
    const cited = citations.map(({ citedText, fields }) => ({ cited_text: citedText, ...fields }))
    const found = cited.length > 0 ? cited : undefined
    this.#close(block, toMetadata({ citations: found, interrupted: isInterrupted || undefined }))
  }

  /** Closes what an agent, or everybody, has open. */
  close(agent?: string): void {
    for (const block of this.#open.values()) {
      if (agent === undefined || block.agent === agent) this.#close(block, undefined)
    }
  }

  #close(block: ToldBlock, metadata: JsonObject | undefined): void {
    this.#open.delete(block.key)
    for (const [name, fields] of events[block.type].end(block, metadata)) {
      this.#say(block.agent, name, fields)
    }
  }
}
