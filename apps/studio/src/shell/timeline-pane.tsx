import { lazy, Suspense, useState } from 'react'

const Timeline = lazy(async () => ({
  default: (await import('../timeline/timeline-view.tsx')).TimelineView,
}))

/** The timeline, loaded when it is first shown and kept from then on. */
export function TimelinePane({ isShown }: { readonly isShown: boolean }) {
  const [wasShown, setWasShown] = useState(isShown)
  if (isShown && !wasShown) setWasShown(true)
  if (!wasShown) return null
  return (
    <section className="timeline-pane" aria-label="Timeline" hidden={!isShown}>
      <Suspense fallback={<Opening />}>
        <Timeline isShown={isShown} />
      </Suspense>
    </section>
  )
}

function Opening() {
  return (
    <p className="lab-opening" role="status">
      <span className="ripple" aria-hidden="true" />
      Opening the timeline…
    </p>
  )
}
