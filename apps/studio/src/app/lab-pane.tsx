import { LatePane } from '../ui/boundary/lazy-pane.tsx'
import { lazyPart } from '../ui/boundary/lazy-component.ts'

const Lab = lazyPart(async () => (await import('../lab/lab.tsx')).Lab)

/** The parser lab. */
export function LabPane({ isShown }: { readonly isShown: boolean }) {
  return (
    <LatePane as="main" className="lab-pane" label="Parser lab" name="The lab" isShown={isShown}>
      <Lab isShown={isShown} />
    </LatePane>
  )
}
