import { DemoList } from './demo-list.tsx'
import { demoGroups, firstDemos } from './demos.ts'
import { useAnswering } from './use-answering.ts'
import { useOffer } from './use-offer.ts'

const count = demoGroups.flatMap(({ demos }) => demos).length

interface WelcomeProps {
  readonly onPick: (prompt: string) => void
}

/** What a newcomer sees: what this is, and what to try. */
export function Welcome({ onPick }: WelcomeProps) {
  const offer = useOffer()
  return (
    <section className="welcome">
      <h2>Watch an agent work</h2>
      <p>
        {offer === 'demos' ? 'Ask something, or try a demo.' : 'Ask something.'} The answer streams
        in here; every frame that carries it stands in the wire. Reload whenever you like: the
        stream goes on where it was.
      </p>
      {offer === 'demos' && <Demos onPick={onPick} />}
      {offer === 'anything' && <Questions onPick={onPick} />}
    </section>
  )
}

function Demos({ onPick }: WelcomeProps) {
  return (
    <>
      <ul className="demo-grid">
        {firstDemos.map(({ prompt, title, text }) => (
          <li key={prompt}>
            <button type="button" onClick={() => onPick(prompt)}>
              <strong>{title}</strong>
              <span>{text}</span>
              <code>{prompt}</code>
            </button>
          </li>
        ))}
      </ul>
      <details className="more-demos">
        <summary>All {count} demos</summary>
        <DemoList onPick={onPick} />
      </details>
    </>
  )
}

/** What any agent can be asked. */
const questions = [
  { title: 'What it can do', prompt: 'What can you do? Which tools do you have?' },
  { title: 'Markdown', prompt: 'Show me a short list, a table and a piece of code.' },
  { title: 'A tool', prompt: 'Use one of your tools, and tell me what it answered.' },
]

function Questions({ onPick }: WelcomeProps) {
  const { agent, model } = useAnswering()
  return (
    <>
      {agent !== undefined && (
        <p className="welcome-agent">
          The agent here is <strong>{agent}</strong>
          {model !== undefined && (
            <>
              {' '}
              on <code>{model}</code>
            </>
          )}
          .
        </p>
      )}
      <ul className="demo-grid">
        {questions.map(({ title, prompt }) => (
          <li key={prompt}>
            <button type="button" onClick={() => onPick(prompt)}>
              <strong>{title}</strong>
              <span>{prompt}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
