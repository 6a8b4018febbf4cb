import { createSession, stopRun } from './millrace/client/index.js'
import { finalText, rootAgent } from './millrace/index.js'

const find = (id) => document.getElementById(id)

// The conversation's id is in the address, so that a reload finds it again.
const id = location.hash.slice(1)
const session = createSession(id ? { url: '', session: id } : { url: '' })

const isBusy = ({ state }) => ['connecting', 'streaming', 'waiting', 'offline'].includes(state)

session.subscribe(() => {
  const { transcript, connection, prompt } = session.getSnapshot()
  const error = connection.error ?? transcript.error
  find('status').textContent = error?.message ?? transcript.status
  // A prompt that is on its way is not in the transcript yet, and the answer there is to the one before.
  find('asked').textContent = prompt?.text ?? rootAgent(transcript)?.runs.at(-1)?.prompt ?? ''
  find('answer').textContent = prompt ? '' : finalText(transcript)
  find('stop').hidden = !isBusy(connection)
})
if (id) session.watch()

find('form').addEventListener('submit', (event) => {
  event.preventDefault()
  location.hash = session.id
  session.run(find('prompt').value)
  find('prompt').value = ''
})
find('stop').addEventListener('click', () => stopRun(session))
