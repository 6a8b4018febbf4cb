import './lab.css'
import './lab-source.css'
import './lab-results.css'
import { InputPanel } from './input/index.ts'
import { RunView } from './results/index.ts'
import { useLab } from './use-lab.ts'

/** Shows the parser lab: feeds a text to the parser chunk by chunk, and shows all events. */
export function Lab({ isShown }: { readonly isShown: boolean }) {
  const lab = useLab(isShown)
  const { run, problem } = lab.outcome
  return (
    <div className="lab" aria-busy={lab.isBusy}>
      <InputPanel
        view={lab.view}
        notice={lab.notice}
        onChange={lab.change}
        onText={lab.changeText}
        onExample={lab.pick}
      />
      {run ? (
        <RunView run={run} step={lab.step} onStep={lab.goTo} isShown={isShown} />
      ) : (
        <section className="lab-run lab-problem" role="alert" aria-label="Problem">
          <h2>This cannot be parsed</h2>
          <p>{problem}</p>
        </section>
      )}
    </div>
  )
}
