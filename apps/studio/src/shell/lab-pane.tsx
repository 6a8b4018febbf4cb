import { LatePane } from '../guard/late-pane.tsx'
import { lazyPart } from '../guard/lazy-part.ts'

const Lab = lazyPart(async () => (await import('../lab/lab.tsx')).Lab)

/** The parser lab. */
export function LabPane({ isShown }: { readonly isShown: boolean }) {
  return (
    <LatePane as="main" className="lab-pane" label="Parser lab" name="The lab" isShown={isShown}>
      <Lab isShown={isShown} />
    </LatePane>
  )
}
