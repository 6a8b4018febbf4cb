import type { PendingCall, PendingCalls } from '../../agent/port/index.ts'
import type { Conversation } from '../runs/stored-run.ts'
import { removeMembers } from './member-filter.ts'
import type { ViewRules } from './view-rules.ts'

/** Where the stream tells what a conversation has, by field: what is hidden there is left out here. */
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

/** Tells whether a view hides a field of a type of message. */
export function isHidden(rules: ViewRules | undefined, type: string, field: string): boolean {
  return rules !== undefined && (rules.hidesType(type) || rules.fieldsOf(type).has(field))
}

/** Tells whether a view shows the arguments of calls, in full. */
export function showsInput(rules: ViewRules | undefined): boolean {
  return !isHidden(rules, 'tool_call', 'delta') && !isHidden(rules, 'awaiting_approval', 'input')
}

/** A title is made of the first question. */
export function viewTitle(title: string, rules: ViewRules | undefined): string {
  return isHidden(rules, 'meta_init', 'user_query') ? '' : title
}

/** Told by routes of their own. */
const ownFields = ['times', 'told_results']

/** Leaves out of a conversation what its reader may not see. */
export function viewConversation({ json }: Conversation, rules: ViewRules | undefined): string {
  const hidden = Object.entries(conversationFields)
    .filter(([, [type, field]]) => isHidden(rules, type, field))
    .map(([name]) => name)
  return removeMembers(json, new Set([...ownFields, ...hidden]))
}

/** Removes the arguments of a call, and their hash, from which short ones can be guessed. */
function withoutInput({ request, ...call }: PendingCall): PendingCall {
  if (request === undefined) return { ...call, inputText: '' }
  const { inputHash: _, ...times } = request
  return { ...call, inputText: '', request: times }
}

/** Leaves out calls that wait, or their arguments, as the view does in the stream. */
export function viewPending(
  { calls, approvals }: PendingCalls,
  rules: ViewRules | undefined,
): PendingCalls {
  if (rules === undefined) return { calls, approvals }
  const view = (waiting: readonly PendingCall[], type: string): readonly PendingCall[] => {
    if (isHidden(rules, type, 'delta')) return []
    const visible = waiting.filter(({ agent }) => !rules.hidesAgent(agent))
    if (!rules.fieldsOf(type).has('input')) return visible
    return visible.map(withoutInput)
  }
  return {
    calls: view(calls, 'awaiting_frontend_tools'),
    approvals: view(approvals, 'awaiting_approval'),
  }
}
