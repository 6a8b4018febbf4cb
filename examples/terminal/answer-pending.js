import { decideCalls } from 'millrace/client'
import { paint } from './create-printer.js'

/** Asks the user about each pending call, and answers it; false without a user at the terminal. */
export async function answerPending(session, ask) {
  for (const call of session.getSnapshot().transcript.pending) {
    const isAnswered = call.approval
      ? await decide(session, call, ask)
      : await reply(session, call, ask)
    if (!isAnswered) return false
  }
  // A decision is taken at once; this waits until the run has ended or paused again.
  await session.watch()
  return true
}

async function reply(session, { callId, name, input }, ask) {
  const question = input?.question ?? `${name} ${JSON.stringify(input)}`
  const answer = await ask(paint('yellow', `? ${question} `))
  if (answer === undefined) return false
  await session.answer(callId, answer)
  return true
}

async function decide(session, { callId, name, input }, ask) {
  const answer = await ask(
    paint('yellow', `! Run ${name} ${JSON.stringify(input)}? [y/n, or why not] `),
  )
  if (answer === undefined) return false
  const decision = /^y(es)?$/i.test(answer)
    ? { decision: 'approve' }
    : { decision: 'refuse', ...(/^(no?)?$/i.test(answer) ? {} : { reason: answer }) }
  await decideCalls(session, [{ callId, ...decision }])
  return true
}
