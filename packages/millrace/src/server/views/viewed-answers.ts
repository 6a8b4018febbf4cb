import type { GivenAnswer, PendingCall, PendingCalls } from '../../agent/port/index.ts'
import type { Caller } from '../access/caller.ts'
import { imageKeyId } from '../files/run-media.ts'
import { type Conversation, EMITTED_RESULTS } from '../runs/stored-run.ts'
import type { ServerContext } from '../server-context.ts'
import { headOf, loadField, loadPending } from '../sessions/load-session.ts'
import { removeMembers } from './member-filter.ts'
import type { ViewRules } from './view-rules.ts'

/** The frame field that corresponds to each field of a conversation. Hiding one hides the other. */
const conversationFields: Readonly<Record<string, readonly [string, string]>> = {
  run_id: ['meta_init', 'run_id'],
  user_message: ['meta_init', 'user_query'],
  final_response: ['text', 'delta'],
  stop_reason: ['meta_end', 'stop_reason'],
  total_steps: ['meta_end', 'total_steps'],
  usage: ['meta_end', 'usage'],
  generated_files: ['meta_files', 'files'],
  messages: ['meta_final', 'conversation_history'],
}

/** Checks whether a view hides a field of a frame type. */
export function isHidden(rules: ViewRules | undefined, type: string, field: string): boolean {
  return rules !== undefined && (rules.hidesType(type) || rules.fieldsOf(type).has(field))
}

/** Checks whether a view shows the arguments of calls. */
export function showsInput(rules: ViewRules | undefined): boolean {
  return !isHidden(rules, 'tool_call', 'delta') && !isHidden(rules, 'awaiting_approval', 'input')
}

/** Hides the title with the prompt, from which it is derived. */
export function viewTitle(title: string, rules: ViewRules | undefined): string {
  return isHidden(rules, 'meta_init', 'user_query') ? '' : title
}

/** Served by separate routes. */
const ownFields = ['times', EMITTED_RESULTS]

/** Removes hidden fields from a conversation. */
export function viewConversation({ json }: Conversation, rules: ViewRules | undefined): string {
  const hidden = Object.entries(conversationFields)
    .filter(([, [type, field]]) => isHidden(rules, type, field))
    .map(([name]) => name)
  return removeMembers(json, new Set([...ownFields, ...hidden]))
}

/** Removes the arguments of a call and their hash, from which short ones can be guessed. */
function withoutInput({ request, ...call }: PendingCall): PendingCall {
  if (request === undefined) return { ...call, inputText: '' }
  const { inputHash: _, ...times } = request
  return { ...call, inputText: '', request: times }
}

/** Hides pending calls or their arguments, as in the stream. */
export function viewPending(
  { calls, approvals }: PendingCalls,
  rules: ViewRules | undefined,
): PendingCalls {
  if (rules === undefined) return { calls, approvals }
  const view = (pending: readonly PendingCall[], type: string): readonly PendingCall[] => {
    if (isHidden(rules, type, 'delta')) return []
    const visible = pending.filter(({ agent }) => !rules.hidesAgent(agent))
    if (!rules.fieldsOf(type).has('input')) return visible
    return visible.map(withoutInput)
  }
  return {
    calls: view(calls, 'awaiting_frontend_tools'),
    approvals: view(approvals, 'awaiting_approval'),
  }
}

/** The frame field that references a file, by the prefix of the file's id. A view that hides the field hides the file. */
const referencing: readonly (readonly [prefix: string, type: string, field: string])[] = [
  ['img_', 'tool_result_image', 'src'],
  ['upload_', 'meta_init', 'user_files'],
  ['', 'meta_files', 'files'],
]

/** Checks whether a file is hidden from a reader, on every route. */
export function isFileHidden(rules: ViewRules | undefined, id: string): boolean {
  if (id === imageKeyId) return true
  const [, type, field] = referencing.find(([prefix]) => id.startsWith(prefix)) ?? []
  return type !== undefined && field !== undefined && isHidden(rules, type, field)
}

/** Masks ids of calls of hidden agents in a request, so that they match no call. */
interface CallMask {
  /** Returns the id, or an unknown id if the call belongs to a hidden agent. */
  readonly idOf: (callId: string) => string
  /** Selects the hidden agents; undefined if none is hidden. */
  readonly hides: ((agent: string) => boolean) | undefined
}

/** No call id has this prefix: models and this library write no control characters. */
const mark = '\u0000hidden:'

/** If the view cannot be determined, all calls are hidden; the request fails later, when content is read. */
const unknownView: Pick<ViewRules, 'hidesAgent'> = { hidesAgent: () => true }

/** Finds the calls of a request that are hidden from it, so that it gets the same response as for calls that do not exist. */
export async function maskCalls(
  { store }: Pick<ServerContext, 'store'>,
  { viewOf }: Pick<Caller, 'viewOf'>,
  session: string,
  ids: readonly string[],
): Promise<CallMask> {
  const rules = await viewOf(session).catch(() => unknownView)
  if (rules === undefined) return { idOf: (id) => id, hides: undefined }
  const { hidesAgent: hides } = rules
  if (ids.length === 0) return { idOf: (id) => id, hides }
  const info = await store.info(session)
  const head = headOf(info)
  if (info === undefined || head === undefined) return { idOf: (id) => id, hides }
  const { calls, approvals, answered = [] } = await loadPending(store, info, head)
  const answers = ((await loadField(store, info, 'answers')) ?? []) as readonly GivenAnswer[]
  const owners = new Map<string, string | undefined>([
    ...[...answers, ...answered].map(({ toolUseId: callId, agent }) => [callId, agent] as const),
    ...[...calls, ...approvals].map(({ id, agent }: PendingCall) => [id, agent] as const),
  ])
  const isMasked = (id: string): boolean => {
    const owner = owners.get(id)
    return owner !== undefined && hides(owner)
  }
  return { idOf: (id) => (isMasked(id) ? `${mark}${id}` : id), hides }
}

/** Returns the agent of a request, masked if it is hidden. */
export function maskAgent(
  agent: string | undefined,
  rules: ViewRules | undefined,
): string | undefined {
  return agent !== undefined && rules?.hidesAgent(agent) === true ? `${mark}${agent}` : agent
}
