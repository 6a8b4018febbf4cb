import { createSession, stopRun } from './millrace/client/index.js'
import { finalText } from './millrace/index.js'

const find = (id) => document.getElementById(id)

// The conversation's id stands in the address, so that a reload finds it again.
const id = location.hash.slice(1)
const session = createSession(id ? { url: '', session: id } : { url: '' })

session.subscribe(() => {
  const { transcript, connection } = session.getSnapshot()
  const error = connection.error ?? transcript.error
  find('status').textContent = error?.message ?? transcript.status
  find('answer').textContent = finalText(transcript)
})
if (id) session.watch()

find('form').addEventListener('submit', (event) => {
  event.preventDefault()
  location.hash = session.id
  session.run(find('prompt').value)
})
find('stop').addEventListener('click', () => stopRun(session))
