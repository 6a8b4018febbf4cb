import type { Turn } from '../scenario.ts'
import type { ScriptedReply } from '../scripted-reply.ts'
import { call, createDemo, say } from './demo-command.ts'

const input = {
  title: 'Water levels in October',
  recipients: ['council@example.com', 'anglers@example.com'],
  pages: 6,
}

/** A call that a person may have to allow. */
export const demoApproval = createDemo('approval', {
  summary: 'A call that should not run unasked: publishing a report',
  tools: ['publish_report'],
  reply: (turn) => (turn.step === 0 ? publish() : goOn(turn)),
})

function publish(): ScriptedReply {
  const text =
    'The report on the water levels is ready. Publishing it sends mail to people outside, so this call is one that somebody should allow first.'
  return { blocks: [{ type: 'text', text }, call('publish_report', input)] }
}

function goOn({ results }: Turn): ScriptedReply {
  const [outcome] = results
  if (outcome === undefined || outcome.isError) {
    const reason = outcome?.text ?? ''
    return say(
      '**Not published.** The call was not allowed, or it failed.',
      ...(reason === '' ? [] : ['', `> ${reason}`]),
    )
  }
  return say(
    '**Published** (the tool of this demo only pretends, so no mail has left).',
    '',
    'To be honest about what you have seen: this version asks nobody, so the call ran at once. Where a tool has to be allowed, the run pauses here as it does in `/demo frontend`, and a call that is refused comes back to me as an error, which I then tell you.',
  )
}
