import { demoGroups } from './demos.ts'

/** Lists all demos by group; a tooltip describes each. */
export function DemoList({ onPick }: { readonly onPick: (prompt: string) => void }) {
  return (
    <div className="demo-list">
      {demoGroups.map(({ title, demos }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <ul className="chips">
            {demos.map(({ prompt, title: name, text }) => (
              <li key={prompt}>
                <button type="button" title={`${text}: ${prompt}`} onClick={() => onPick(prompt)}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
