import { parseArgs } from 'node:util'
import { createSession, stopRun } from 'millrace/client'
import { answerPending } from './answer-pending.js'
import { createKeyboard } from './create-keyboard.js'
import { createPrinter, paint } from './create-printer.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string', default: 'http://127.0.0.1:8787' } },
})
const [id] = positionals
const token = process.env.MILLRACE_TOKEN

const session = createSession({
  url: values.url,
  // Arguments of calls come while the model writes them.
  runFields: { tool_input: 'live' },
  ...(id && { session: id }),
  ...(token && { headers: { authorization: `Bearer ${token}` } }),
})
const keyboard = createKeyboard({ onInterrupt: interrupt })
const print = createPrinter()
const say = (style, text) => console.log(paint(style, text))

let isStopping = false

/** Stops the run under way; where there is none, or it does not stop, leaves. */
function interrupt() {
  const { state } = session.getSnapshot().connection
  if (state === 'idle' || state === 'failed' || isStopping) return leave()
  isStopping = true
  stopRun(session).catch(leave)
}

function leave() {
  session.close()
  keyboard.close()
}

/** Waits for a run to end or to need an answer, as often as it does. */
async function settle(running) {
  await running
  while (session.getSnapshot().transcript.pending.length > 0) {
    if (!(await answerPending(session, keyboard.ask))) return
  }
  const { status } = session.getSnapshot().transcript
  if (status === 'aborted') say('yellow', 'Stopped.')
  isStopping = false
}

/** What the server refuses is told, and the next question may be asked. */
const attempt = (running) => settle(running).catch((error) => say('red', error.message))

let trouble
session.subscribe(() => {
  const { transcript, connection } = session.getSnapshot()
  print(transcript)
  if (connection.state === 'waiting' && connection.error !== trouble) {
    say('yellow', `${connection.error.message} Trying again …`)
  }
  trouble = connection.error
})

say('gray', `Session ${session.id}`)
if (id) await attempt(session.watch())
for (;;) {
  const prompt = await keyboard.ask('> ')
  if (prompt === undefined) break
  if (prompt !== '') await attempt(session.run(prompt))
}
leave()
