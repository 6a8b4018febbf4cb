import { isPauseReason } from '../../envelope/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import {
  settledStages,
  type Telling,
  type TellingOf,
  type ToldCall,
  type ToldImage,
} from '../../telling/index.ts'
import { toMetadata, wordsOf } from './ag-ui-event.ts'
import type { AgUiRun } from './ag-ui-run.ts'
import { voidBlocks } from './void-blocks.ts'

/** What each telling becomes. */
type Tellings = {
  readonly [Type in Telling['type']]: (run: AgUiRun, telling: TellingOf<Type>) => void
}

/** Names of types that a reader of the log passes over, too. */
const silent: ReadonlySet<string> = new Set(['hidden'])

/** What AG-UI says of each thing that a log tells. */
export const tellings: Tellings = {
  run_start: (run, { agent, isRoot, info }) => {
    if (!isRoot) return startSubagent(run, agent, info)
    run.restart(info)
    const prompt = wordsOf(info['user_query'])
    if (prompt !== undefined && run.options.prompts !== 'leave_out') {
      sayWords(run, agent, `p${run.at}`, prompt)
    }
  },
  block_start: (run, { agent, block }) => {
    if (!run.tells(agent)) return
    run.steps.begin(agent)
    run.blocks.start(block)
  },
  block_delta: (run, { agent, block, delta }) => {
    if (run.tells(agent)) run.blocks.grow(block, delta)
  },
  block_end: (run, telling) => {
    if (run.tells(telling.agent)) run.blocks.end(telling)
  },
  result: tellResult,
  status: (run, telling) => {
    const { agent, toolUseId: toolCallId, name: toolCallName, stage, detail, fields } = telling
    if (settledStages.has(stage)) run.calls.settle(toolCallId)
    sayCustom(run, agent, 'tool_status', { toolCallId, toolCallName, stage, detail, ...fields })
  },
  steered: (run, { agent, text, key }) => {
    run.blocks.turn(agent)
    if (text === run.options.steered) run.open()
    else sayWords(run, agent, key, text)
  },
  awaiting: (run, { what, calls }) => {
    run.open()
    run.calls.await(what, calls)
    for (const call of calls) if (run.calls.find(call.toolUseId) === undefined) showCall(run, call)
  },
  step_end: (run, { agent, info }) => {
    run.steps.end(agent, info)
    run.blocks.turn(agent)
  },
  rollback: (run, { agent, info, voided }) => {
    const messageIds = run.tells(agent) ? voidBlocks(run, voided) : []
    run.blocks.turn(agent)
    sayCustom(run, agent, 'rollback', { ...info, messageIds })
  },
  files: (run, { agent, files, key: messageId }) =>
    run.say(agent, 'ACTIVITY_SNAPSHOT', { messageId, activityType: 'files', content: { files } }),
  compaction: (run, { agent, info }) => sayCustom(run, agent, 'compaction', info),
  summary: (run, { agent, info }) => sayCustom(run, agent, 'summary', info),
  error: (run, { agent, info }) => {
    run.open()
    run.subagents.fail(agent, info)
    if (run.isRoot(agent)) run.noteFailure(info)
  },
  run_end: (run, { agent, isRoot, info }) => {
    if (isRoot) run.close(info)
    else endSubagent(run, agent, info)
  },
  other: (run, { agent, envelope }) => {
    const { type, agent: _agent, final: _final, span: _span, more: _more, ...rest } = envelope
    // A decoded message holds nothing but JSON.
    if (!silent.has(type)) sayCustom(run, agent, type, rest as JsonObject)
  },
}

function startSubagent(run: AgUiRun, agent: string, info: JsonObject): void {
  run.open()
  if (!run.tells(agent)) return
  run.steps.restart(agent)
  run.blocks.turn(agent)
  run.subagents.begin(agent, info, run.at)
}

/** One that waits may go on in this run, and can be announced only once in it: it stays until the run is over. */
function endSubagent(run: AgUiRun, agent: string, info: JsonObject): void {
  run.open()
  if (!run.tells(agent) || isPauseReason(info['stop_reason'])) return
  run.subagents.enter(agent, run.at)
  run.blocks.close(agent)
  run.steps.close(agent)
  run.subagents.end(agent, 'done', info)
}

function tellResult(run: AgUiRun, telling: TellingOf<'result'>): void {
  const { agent, isServer, toolUseId: toolCallId, name, text, isError, images, key } = telling
  const interrupted = telling.isInterrupted || undefined
  const call = run.calls.find(toolCallId)
  run.calls.answer(toolCallId, key)
  if (!isServer) run.blocks.turn(agent)
  if (run.options.answered?.has(toolCallId) === true) return run.open()
  if (isServer && call === undefined) {
    // What the provider did without a call, such as moving to another model. [MAP-1]
    const content = toContent(text)
    const activityType = `millrace.${name}`
    const fields = { messageId: key, activityType, content, metadata: toMetadata({ toolCallId }) }
    return run.say(agent, 'ACTIVITY_SNAPSHOT', fields)
  }
  const metadata = toMetadata({
    isError: isError || undefined,
    interrupted,
    name: isServer ? name : undefined,
  })
  const content = images.length === 0 ? text : [...toTextParts(text), ...images.map(toImagePart)]
  const fields = { messageId: key, toolCallId, content, role: 'tool', metadata }
  if (call !== undefined && run.tells(agent)) run.say(agent, 'TOOL_CALL_RESULT', fields)
  // A call of a sub-agent that is not told of was shown as one of the run's, for the client to answer.
  else if (call !== undefined) run.sayForAll('TOOL_CALL_RESULT', fields)
  else run.say(agent, 'TOOL_CALL_RESULT', fields)
}

function toTextParts(text: string): readonly JsonObject[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

const dataPattern = /^data:([^;,]*);base64,/

function toImagePart({ src, mediaType }: ToldImage): JsonObject {
  const [prefix, type = ''] = dataPattern.exec(src) ?? []
  if (prefix === undefined) {
    return { type: 'image', source: { type: 'url', value: src, mimeType: mediaType } }
  }
  const value = src.slice(prefix.length)
  return { type: 'image', source: { type: 'data', value, mimeType: mediaType || type } }
}

/** Shows a call that waits and was not told of before. */
function showCall(run: AgUiRun, { toolUseId: toolCallId, name, input, agent }: ToldCall): void {
  const messageId = `${toolCallId}-call`
  run.calls.show(toolCallId, { agent, messageId })
  const start = { toolCallId, toolCallName: name, parentMessageId: messageId }
  // Arguments that are no JSON stand there as text.
  const delta = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  const say = run.tells(agent) ? run.say.bind(run, agent) : run.sayForAll.bind(run)
  say('TOOL_CALL_START', start)
  say('TOOL_CALL_ARGS', { toolCallId, delta })
  say('TOOL_CALL_END', { toolCallId })
}

/** Says what a person wrote. */
function sayWords(run: AgUiRun, agent: string, messageId: string, words: string): void {
  run.say(agent, 'TEXT_MESSAGE_START', { messageId, role: 'user' })
  run.say(agent, 'TEXT_MESSAGE_CONTENT', { messageId, delta: words })
  run.say(agent, 'TEXT_MESSAGE_END', { messageId })
}

function sayCustom(run: AgUiRun, agent: string, name: string, value: JsonObject): void {
  run.say(agent, 'CUSTOM', { name: `millrace.${name}`, value })
}

/** A result as a value, unless the value would not give the same text again. */
function toContent(text: string): JsonObject {
  try {
    const result = JSON.parse(text) as JsonValue
    return JSON.stringify(result) === text ? { result } : { text }
  } catch {
    return { text }
  }
}
