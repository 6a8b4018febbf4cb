import { createSession, stopRun } from './millrace/client/index.js'
import { rootAgent, showHiddenCharacters } from './millrace/index.js'

const [rows, note, form, prompt, stop] = ['rows', 'note', 'form', 'prompt', 'stop'].map((id) =>
  document.getElementById(id),
)

// The conversation's id is in the address: after a reload it is read again, and a run continues.
const id = location.hash.slice(1)
const session = createSession(id ? { url: '', session: id } : { url: '' })
if (id) session.watch()

form.addEventListener('submit', (event) => {
  event.preventDefault()
  history.replaceState(null, '', `#${session.id}`)
  session.run(prompt.value)
  form.reset()
})
stop.addEventListener('click', () => stopRun(session))

/** The text of a row, by its type; a type that is not here is not shown. */
const texts = {
  prompt: ({ prompt: text }) => text,
  text: ({ text }) => text,
  thinking: ({ text }) => text,
  tool_call: ({ name, text, result }) =>
    showHiddenCharacters(`${name} ${text} → ${result?.text ?? '…'}`),
  error: ({ error }) => error.message,
}

/** Every question, followed by the blocks of its answer. */
function toRows({ transcript, prompt: sending }) {
  const { runs = [], blocks = [] } = rootAgent(transcript) ?? {}
  const [asked, answers] = [[...runs], [...blocks]]
  const received = asked.flatMap((run, index) => {
    const end = asked[index + 1]?.firstBlock
    return [run, ...answers.slice(run.firstBlock, end)]
  })
  return sending ? [...received, { prompt: sending.text }] : received
}

const shown = []

/** Draws the rows that have changed: the others are the same objects as before. */
function draw() {
  const snapshot = session.getSnapshot()
  const current = toRows(snapshot)
  current.forEach((row, index) => {
    if (shown[index] === row) return
    const { type = 'prompt' } = row
    const element = rows.children[index] ?? rows.appendChild(document.createElement('div'))
    element.className = type
    element.textContent = texts[type]?.(row) ?? ''
    shown[index] = row
  })
  while (rows.children.length > current.length) rows.lastChild.remove()
  shown.length = current.length

  const { connection } = snapshot
  const isBusy = ['connecting', 'streaming', 'waiting', 'offline'].includes(connection.state)
  stop.hidden = !isBusy
  note.textContent = connection.error?.message ?? (isBusy ? 'Working …' : '')
}

// However fast the words come, the page is drawn once a frame.
let frame = 0
session.subscribe(() => {
  cancelAnimationFrame(frame)
  frame = requestAnimationFrame(draw)
})
