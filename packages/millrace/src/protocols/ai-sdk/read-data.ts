import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
  parseJsonOr,
} from '../../json/index.ts'
import { isOfProvider, isProse } from '../../events/index.ts'
import { decisionFieldsIn, settledStages } from '../port/index.ts'
import type { ReadCalls } from './read-calls.ts'
import type { Reading } from './reading.ts'
import type { UiChunk } from './ui-output.ts'

/** A growing block of a sub-agent. */
export interface GrowingBlock {
  readonly agent: string
  readonly type: string
  /** Id of its call, if it is a call. */
  readonly call: string | undefined
}

/** Maximum number of growing blocks. */
const MAX_GROWING = 10_000

/** Targets of data parts. */
interface DataPlace {
  readonly reading: Reading
  readonly calls: ReadCalls
  /** Growing blocks of sub-agents, by the ids of their parts. */
  readonly blocks: Map<string, GrowingBlock>
  /** Stores the page's own data. */
  readonly keep: (name: string, id: JsonValue | undefined, content: JsonValue) => void
}

type ReadOwn = (place: DataPlace, data: JsonObject, agent: string, id: string) => void

/** Reads a data part. The parts of this server are converted; other parts are stored unless they are transient. */
export function readData(place: DataPlace, { type, id, data, transient }: UiChunk): void {
  const read = ownData[type]
  const { reading, keep } = place
  const key = toText(id)
  if (type === 'data-agent-delta') return readAgentDelta(place, key, toText(data))
  if (read === undefined || !isJsonObject(data)) {
    if (transient !== true) keep(type, id, data ?? null)
    return
  }
  const { agent } = data
  const who = typeof agent === 'string' ? agent : reading.root
  if (type !== 'data-agent') reading.enter(who)
  read(place, data, who, key)
}

/** Stages of a call that is not pending. */
const workStages: ReadonlySet<JsonValue | undefined> = new Set([
  ...settledStages,
  'started',
  'progress',
])

const readAgent: ReadOwn = ({ reading, calls }, data, agent) => {
  const { status, stop_reason, usage, cost, error } = data
  reading.enter(agent, data)
  if (isJsonObject(error)) reading.fail(agent, error)
  if (stop_reason === undefined) return
  if (status === 'waiting') calls.await(agent)
  const present = Object.entries({ stop_reason, usage, cost }).filter(
    ([, value]) => value !== undefined,
  )
  reading.endAgent(agent, Object.fromEntries(present) as JsonObject)
}

const readAgentStart: ReadOwn = ({ calls, blocks }, { type, tool_use_id, name }, agent, id) => {
  const call = typeof tool_use_id === 'string' ? tool_use_id : undefined
  const isServer = isOfProvider(toText(type))
  if (call !== undefined)
    calls.start({ id: call, name: toText(name), agent, isServer, isPart: false })
  if (blocks.size < MAX_GROWING) blocks.set(id, { agent, type: toText(type), call })
}

function readAgentDelta({ reading, calls, blocks }: DataPlace, id: string, delta: string): void {
  const { agent, type, call } = blocks.get(id) ?? {}
  if (call !== undefined) return calls.grow(call, delta)
  if (agent === undefined || !isProse(type)) return
  reading.grow(`${type} ${id}`, { type, agent, fields: { id } }, delta)
}

const readAgentBlock: ReadOwn = (place, data, agent, block) => {
  const { type } = data
  place.blocks.delete(block)
  if (isProse(type)) return readAgentProse(place, { ...data, type, block }, agent)
  const { tool_use_id, name, input, text, isError, images, interrupted } = data
  const { calls } = place
  const id = toText(tool_use_id)
  const isServer = isOfProvider(toText(type))
  const isImplied = type === 'server_tool_result'
  calls.start({ id, name: toText(name), agent, isServer, isPart: false, isImplied })
  calls.end(id, input ?? {}, typeof text !== 'string' && interrupted === true)
  if (typeof text !== 'string') return
  const pictures = isJsonArray(images) ? images.filter(isJsonObject) : []
  const shown = pictures.map(({ src, mediaType }) => ({
    src: toText(src),
    mediaType: toText(mediaType),
  }))
  const value = parseJsonOr(text, text)
  const resultName = toText(name)
  calls.answer(id, {
    output: { text, images: shown },
    value,
    isError: isError === true,
    isInterrupted: interrupted === true,
    resultName,
  })
}

function readAgentProse(
  { reading }: DataPlace,
  data: JsonObject & { readonly type: 'text' | 'thinking' },
  agent: string,
): void {
  const { type, text, redacted, citations, block, interrupted } = data
  const id = toText(block)
  const key = `${type} ${id}`
  const fields = redacted === true ? { id, redacted: true } : { id }
  const isKnown = reading.isOpen(key)
  reading.end(key, { type, agent, fields }, isKnown ? '' : toText(text), interrupted === true)
  const cited = isJsonArray(citations) ? citations.filter(isJsonObject) : []
  for (const [index, { text: citedText, ...more }] of cited.entries()) {
    const final = index === cited.length - 1
    reading.addItem('citation', agent, toText(citedText), { ...more, id, final })
  }
}

const ownData: Readonly<Record<string, ReadOwn>> = {
  'data-agent': readAgent,
  'data-agent-start': readAgentStart,
  'data-agent-block': readAgentBlock,
  'data-tool-status': ({ reading, calls }, data, agent) => {
    const { toolCallId, toolName, stage, detail } = data
    if (workStages.has(stage)) calls.pass(toText(toolCallId))
    const known = { id: toText(toolCallId), name: toText(toolName), stage: toText(stage) }
    const fields = { ...decisionFieldsIn(data), ...known }
    reading.add('tool_status', agent, toText(detail), fields)
  },
  'data-user-message': ({ reading }, { text }, agent) => {
    reading.close(agent)
    reading.add('user_message', agent, toText(text))
  },
  'data-rollback': ({ reading, calls }, { parts, agent: _, ...info }, agent) => {
    calls.forget(isJsonArray(parts) ? parts.map(String) : [])
    reading.rollBack(agent, info)
  },
  'data-file': ({ reading }, file, agent) => reading.add('meta_files', agent, { files: [file] }),
  'data-compaction': ({ reading }, { agent: _, ...info }, agent) =>
    reading.add('meta_compaction', agent, info),
}
