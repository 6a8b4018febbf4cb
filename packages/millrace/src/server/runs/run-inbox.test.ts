import { expect, test } from 'vitest'
import type { ToolStatus } from '../../events/index.ts'
import { RunInbox } from './run-inbox.ts'

test('[CMD-1] a decision is done once it is emitted, not when a recovered run emits the request for it again', () => {
  const inbox = new RunInbox('s', 1)
  const decisions = [{ toolUseId: 'a1', outcome: 'approved' }] as const
  inbox.add('k', { run: 1, command: { type: 'answer', answers: { decisions } } })
  const status = { type: 'tool_status', agent: 's.1', callId: 'a1', name: 'ship' } as const
  const follow = (stage: ToolStatus['stage']) => inbox.follow({ ...status, stage }, 1)
  expect(follow('approval_requested')).toBe(false)
  expect(inbox.takeDone()).toEqual([])
  expect(follow('approved')).toBe(true)
  expect(inbox.takeDone()).toMatchObject([{ key: 'k', isPending: false }])
})
