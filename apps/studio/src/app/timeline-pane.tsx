import { LatePane } from '../ui/boundary/lazy-pane.tsx'
import { lazyPart } from '../ui/boundary/lazy-component.ts'

const Timeline = lazyPart(async () => (await import('../timeline/timeline-view.tsx')).TimelineView)

/** The timeline. */
export function TimelinePane({ isShown }: { readonly isShown: boolean }) {
  return (
    <LatePane
      as="section"
      className="timeline-pane"
      label="Timeline"
      name="The timeline"
      isShown={isShown}
    >
      <Timeline isShown={isShown} />
    </LatePane>
  )
}
