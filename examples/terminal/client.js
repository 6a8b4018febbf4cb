import { createSession, stopRun } from 'millrace/client'
import { answerPending } from './answer-pending.js'
import { createKeyboard } from './create-keyboard.js'
import { createPrinter, paint } from './create-printer.js'
import { readOptions } from './read-options.js'

/** Number of attempts at a server that has never responded; there is no limit for one that has. */
const MAX_FIRST_TRIES = 4

const { url, id } = readOptions()
const token = process.env.MILLRACE_TOKEN

const session = createSession({
  url,
  // Arguments of calls come while the model writes them.
  runFields: { tool_input: 'live' },
  ...(id && { session: id }),
  ...(token && { headers: { authorization: `Bearer ${token}` } }),
})
const keyboard = createKeyboard({ onInterrupt: interrupt })
const print = createPrinter()
const say = (style, text) => console.log(paint(style, text))

const isClosed = () => session.getSnapshot().connection.state === 'closed'

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

/** An error of the server is printed, and another question may follow. */
const attempt = (running) =>
  settle(running).catch((error) => {
    if (!isClosed()) say('red', error.message)
  })

/** Names the address and the error code of the system, such as ECONNREFUSED. */
function describeFailure(error) {
  const { code, message } = error.cause?.cause ?? {}
  const reason = code ?? message
  return reason ? `${url} cannot be reached (${reason}).` : error.message
}

function giveUp() {
  say('red', 'Giving up. Is the server running? --url names another one.')
  process.exitCode = 1
  leave()
}

let trouble
let hasAnswered = false
let tries = 0
session.subscribe(() => {
  const { transcript, connection } = session.getSnapshot()
  print(transcript)
  if (connection.state === 'streaming') hasAnswered = true
  if (connection.state === 'waiting' && connection.error !== trouble) {
    const isLast = !hasAnswered && ++tries >= MAX_FIRST_TRIES
    say('yellow', `${describeFailure(connection.error)}${isLast ? '' : ' Trying again …'}`)
    if (isLast) giveUp()
  }
  trouble = connection.error
})

say('gray', `Session ${session.id}`)
if (id) await attempt(session.watch())
while (!isClosed()) {
  const prompt = await keyboard.ask('> ')
  if (prompt === undefined) break
  if (prompt !== '') await attempt(session.run(prompt))
}
leave()
