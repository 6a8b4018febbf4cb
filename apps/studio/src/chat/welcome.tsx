import { DemoList } from './demo-list.tsx'
import { demoGroups, firstDemos } from './demos.ts'

const count = demoGroups.flatMap(({ demos }) => demos).length

/** What a newcomer sees: what this is, and what to try. */
export function Welcome({ onPick }: { readonly onPick: (prompt: string) => void }) {
  return (
    <section className="welcome">
      <h2>Watch an agent work</h2>
      <p>
        Ask something, or try a demo. The answer streams in here; every frame that carries it stands
        in the wire. Reload whenever you like: the stream goes on where it was.
      </p>
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
    </section>
  )
}
