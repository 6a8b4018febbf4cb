import { DemoList } from './demo-list.tsx'
import { demoGroups, firstDemos } from './demos.ts'
import { useCurrentAgent } from './use-current-agent.ts'
import { useStarters } from './use-starters.ts'

/** Names of scripted models: that of `millrace dev` and that of an app created by `millrace init`. */
const scripted = new Map([
  ['emulator', 'scripted emulator'],
  ['stand-in', 'scripted stand-in'],
])

const count = demoGroups.flatMap(({ demos }) => demos).length

interface WelcomeProps {
  readonly onPick: (prompt: string) => void
}

/** Shows a welcome: the purpose of the page, the agent, and prompts to try. */
export function Welcome({ onPick }: WelcomeProps) {
  const starters = useStarters()
  return (
    <section className="welcome">
      <h2>Watch an agent work</h2>
      <p>
        Millrace streams the work of an agent from your server to this page and stores all of it.
        Reload, lose the network, open a second tab: nothing is lost.
      </p>
      <dl className="welcome-facts">
        <AgentFact />
        {starters && <FirstSteps hasDemos={starters === 'demos'} />}
      </dl>
      {starters === 'demos' && <Demos onPick={onPick} />}
      {starters === 'questions' && <Questions onPick={onPick} />}
    </section>
  )
}

/** Shows whether a model or a script answers; nothing until the server has responded. */
function AgentFact() {
  const { agent, model } = useCurrentAgent()
  const stage = scripted.get(model ?? '')
  if (agent === undefined) return null
  return (
    <div>
      <dt>Agent</dt>
      {stage ? (
        <dd>
          A <strong>{stage}</strong>, without a model or a key. For a real one, start the server
          with <code>ANTHROPIC_API_KEY</code> set.
        </dd>
      ) : (
        <dd>
          The agent here is <strong>{agent}</strong>
          {model !== undefined && (
            <>
              {' '}
              on <code>{model}</code>
            </>
          )}
          .
        </dd>
      )}
    </div>
  )
}

function FirstSteps({ hasDemos }: { readonly hasDemos: boolean }) {
  return (
    <div>
      <dt>Try this first</dt>
      <dd>
        {hasDemos ? (
          <>
            Start <strong>Sub-agents</strong>, reload in the middle,
          </>
        ) : (
          'Ask something, reload in the middle,'
        )}{' '}
        then open the <a href="#timeline">timeline</a> and scrub back in time.
      </dd>
    </div>
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

/** Prompts for any agent. */
const questions = [
  { title: 'What it can do', prompt: 'What can you do? Which tools do you have?' },
  { title: 'Markdown', prompt: 'Show me a short list, a table and a piece of code.' },
  { title: 'A tool', prompt: 'Use one of your tools and show me its result.' },
]

function Questions({ onPick }: WelcomeProps) {
  return (
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
  )
}
