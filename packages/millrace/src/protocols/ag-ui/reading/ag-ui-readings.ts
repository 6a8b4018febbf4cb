import { catalog, type Extras } from '../../../events/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../../json/index.ts'
import { decisionFieldsIn } from '../../port/index.ts'
import { objectOf, wordsOf } from '../ag-ui-run.ts'
import type { ReadRun } from './read-run.ts'

type Reading = (run: ReadRun, event: JsonObject) => void

const textKey = (event: JsonObject): string => `text ${toText(event['messageId'])}`
const thoughtKey = (event: JsonObject): string => `thought ${toText(event['messageId'])}`
const callKey = (event: JsonObject): string => `call ${toText(event['toolCallId'])}`
const deltaOf = (event: JsonObject): string => wordsOf(event['delta']) ?? ''

/** Roles of messages that are neither prompts nor answers. */
const silentRoles: ReadonlySet<JsonValue | undefined> = new Set(['system', 'developer'])

/** Readers by type of AG-UI event. Other types are ignored. */
export const readings: Readonly<Record<string, Reading | undefined>> = {
  __proto__: null as never,
  RUN_STARTED: (run, event) => run.start(event),
  RUN_FINISHED: (run, event) => run.finish(event),
  RUN_ERROR: (run, event) => run.finishFailed(event),
  TEXT_MESSAGE_START: (run, event) => {
    const { role } = event
    if (silentRoles.has(role)) return
    const isQuestion = role === 'user' && event['subagentRunId'] === undefined && run.isBeginning
    if (isQuestion) return run.words.open(toText(event['messageId']), 'question')
    const agent = run.agentOf(event)
    if (role === 'user') return run.words.open(toText(event['messageId']), agent)
    const id = toText(event['messageId'])
    run.log.open(textKey(event), { type: 'text', agent, extras: { id } })
  },
  TEXT_MESSAGE_CONTENT: (run, event) => {
    const id = toText(event['messageId'])
    if (run.words.has(id)) run.words.grow(id, deltaOf(event))
    else run.log.grow(textKey(event), deltaOf(event))
  },
  TEXT_MESSAGE_END: (run, event) => {
    const id = toText(event['messageId'])
    if (run.words.has(id)) return endWords(run, id)
    const agent = run.log.speakerOf(textKey(event))
    run.log.close(textKey(event), isInterrupted(event))
    if (agent !== undefined) addCitations(run, agent, id, event)
  },
  REASONING_MESSAGE_START: (run, event) => {
    const agent = run.agentOf(event)
    const { redacted } = objectOf(event['metadata'])
    const extras = { id: toText(event['messageId']), ...(redacted === true && { redacted }) }
    run.log.open(thoughtKey(event), { type: 'thinking', agent, extras })
  },
  REASONING_MESSAGE_CONTENT: (run, event) => run.log.grow(thoughtKey(event), deltaOf(event)),
  REASONING_MESSAGE_END: (run, event) => run.log.close(thoughtKey(event), isInterrupted(event)),
  TOOL_CALL_START: startCall,
  TOOL_CALL_ARGS: (run, event) => {
    if (!run.log.isOpen(callKey(event))) return
    run.calls.grow(toText(event['toolCallId']), deltaOf(event))
    run.log.grow(callKey(event), deltaOf(event))
  },
  TOOL_CALL_END: (run, event) => run.log.close(callKey(event), isInterrupted(event)),
  TOOL_CALL_RESULT: readResult,
  STEP_FINISHED: (run, event) => {
    const { step, stopReason = null, usage = null, cost = null } = objectOf(event['metadata'])
    // Steps of other servers may be anything; those of this server are model calls.
    if (typeof step !== 'number') return
    const agent = run.agentOf(event)
    run.log.closeAll(agent)
    run.countStep(agent)
    run.log.addJson('meta_step', agent, { step, stop_reason: stopReason, usage, cost })
  },
  SUBAGENT_STARTED: (run, event) => {
    const tag = wordsOf(event['subagentRunId'])
    if (tag !== undefined) run.enter(tag, event)
  },
  SUBAGENT_FINISHED: (run, event) => {
    const one = run.agents.find(toText(event['subagentRunId']))
    if (one === undefined || one.state === 'done') return
    if (objectOf(event['outcome'])['type'] === 'suspended') one.state = 'suspended'
    else run.endSubagent(one, event)
  },
  SUBAGENT_ERROR: (run, event) => {
    const one = run.agents.find(toText(event['subagentRunId']))
    if (one === undefined || one.state === 'done') return
    const { stopReason } = objectOf(event['metadata'])
    if (stopReason !== 'aborted') run.fail(one.agent, event)
    run.endSubagent(one, event, 'error')
  },
  ACTIVITY_SNAPSHOT: (run, event) => {
    const type = wordsOf(event['activityType']) ?? ''
    const content = objectOf(event['content'])
    if (type === 'files' && isJsonArray(content['files'])) {
      return run.log.addJson('meta_files', run.agentOf(event), { files: content['files'] })
    }
    const name = type.startsWith('millrace.') ? type.slice('millrace.'.length) : ''
    if (name === '' || name === 'void') return
    const { toolCallId } = objectOf(event['metadata'])
    const id = wordsOf(toolCallId) ?? toText(event['messageId'])
    const { text, result: value = null } = content
    const result = typeof text === 'string' ? text : JSON.stringify(value)
    run.log.add('server_tool_result', run.agentOf(event), result, { id, name })
  },
  CUSTOM: (run, event) => {
    const name = wordsOf(event['name']) ?? ''
    if (!name.startsWith('millrace.')) return
    readOwn(run, name.slice('millrace.'.length), event)
  },
}

function isInterrupted(event: JsonObject): boolean {
  return objectOf(event['metadata'])['interrupted'] === true
}

function startCall(run: ReadRun, event: JsonObject): void {
  const id = toText(event['toolCallId'])
  if (run.log.isOpen(callKey(event))) return
  const agent = run.agentOf(event)
  const name = wordsOf(event['toolCallName']) ?? ''
  const { providerExecuted, serverName } = objectOf(event['metadata'])
  const isServer = providerExecuted === true
  run.calls.show(id, { agent, name, isServer })
  const server = wordsOf(serverName)
  const extras = { id, name, ...(server !== undefined && { server_name: server }) }
  run.log.open(callKey(event), { type: isServer ? 'server_tool_call' : 'tool_call', agent, extras })
}

function readResult(run: ReadRun, event: JsonObject): void {
  const id = toText(event['toolCallId'])
  run.log.close(callKey(event))
  const call = run.calls.take(id)
  const { isVoid, isMissing, isError, interrupted, name } = objectOf(event['metadata'])
  if (call === undefined || isVoid === true || isMissing === true) return
  run.answer(call)
  const type = call.isServer ? 'server_tool_result' : 'tool_result'
  const marks = {
    ...(isError === true && { is_error: true }),
    ...(interrupted === true && { interrupted }),
  }
  const extras = { id, name: wordsOf(name) ?? call.name, ...marks }
  const { content } = event
  if (!isJsonArray(content)) return run.log.add(type, call.agent, toText(content ?? ''), extras)
  const parts = content.filter(isJsonObject)
  const text = parts.flatMap((part) => (part['type'] === 'text' ? [toText(part['text'])] : []))
  const images = parts.flatMap(toImage)
  if (images.length === 0) return run.log.add(type, call.agent, text.join('\n'), extras)
  const { interrupted: _, ...pieceExtras } = extras
  run.log.addPart(type, call.agent, text.join('\n'), pieceExtras)
  for (const image of images) {
    const fields = { id, name: extras.name, ...image }
    run.log.addPart('tool_result_image', call.agent, '', fields)
  }
  run.log.add(type, call.agent, '', extras)
}

function toImage(part: JsonObject): readonly Extras[] {
  const { type, value, mimeType } = objectOf(part['source'])
  if (part['type'] !== 'image' || typeof value !== 'string') return []
  const media_type = wordsOf(mimeType) ?? 'image/png'
  return [{ src: type === 'data' ? `data:${media_type};base64,${value}` : value, media_type }]
}

function addCitations(run: ReadRun, agent: string, id: string, event: JsonObject): void {
  const { citations } = objectOf(event['metadata'])
  const cited = isJsonArray(citations) ? citations.filter(isJsonObject) : []
  for (const [
    index,
    { cited_text = '', citation_type = 'unknown', ...fields },
  ] of cited.entries()) {
    const extras = { ...withoutBase(fields), citation_type, id }
    const text = toText(cited_text)
    if (index === cited.length - 1) run.log.add('citation', agent, text, extras)
    else run.log.addPart('citation', agent, text, extras)
  }
}

function endWords(run: ReadRun, id: string): void {
  const { agent, text } = run.words.close(id)
  if (agent === 'question') run.ask(text)
  else run.log.add('user_message', agent, text)
}

/** Reads this server's own events. */
function readOwn(run: ReadRun, name: string, event: JsonObject): void {
  const value = objectOf(event['value'])
  const own = ownEvents[name]
  if (own !== undefined) return own(run, run.agentOf(event, name === 'tool_status'), value)
  // A type of a later version. Known types are never written as custom events.
  if (Object.hasOwn(catalog, name)) return
  const { delta, ...fields } = value
  run.log.add(name, run.agentOf(event), wordsOf(delta) ?? '', withoutBase(fields))
}

const ownEvents: Readonly<
  Record<string, ((run: ReadRun, agent: string, value: JsonObject) => void) | undefined>
> = {
  __proto__: null as never,
  tool_status: ({ log }, agent, { toolCallId, toolCallName, stage, detail, ...more }) =>
    log.add('tool_status', agent, wordsOf(detail) ?? '', {
      ...decisionFieldsIn(more),
      id: toText(toolCallId),
      name: toText(toolCallName),
      stage: toText(stage),
    }),
  rollback: ({ log }, agent, { messageIds: _, ...info }) => {
    log.closeAll(agent)
    log.addJson('rollback', agent, info)
  },
  compaction: ({ log }, agent, info) => log.addJson('meta_compaction', agent, info),
  summary: ({ log }, agent, info) => {
    log.closeAll(agent)
    log.addJson('meta_final', agent, info)
  },
}

/** Removes the fields that every frame has, so that foreign data cannot set them. */
function withoutBase(fields: JsonObject): JsonObject {
  const { type: _type, agent: _agent, final: _final, more: _more, span: _span, ...rest } = fields
  return rest
}
