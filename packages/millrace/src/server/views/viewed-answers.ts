import type { PendingCall, PendingCalls } from '../../agent/port/index.ts'
import type { Conversation } from '../runs/stored-run.ts'
import { removeMembers } from './member-filter.ts'
import type { ViewRules } from './view-rules.ts'
import { imageKeyId } from '../files/image-ids.ts'

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
const ownFields = ['times', 'told_results']

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
