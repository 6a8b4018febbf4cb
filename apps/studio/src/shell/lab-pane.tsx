import { lazy, Suspense, useState } from 'react'

const Lab = lazy(async () => ({ default: (await import('../lab/lab.tsx')).Lab }))

/** The parser lab, loaded when it is first shown and kept from then on. */
export function LabPane({ isShown }: { readonly isShown: boolean }) {
  const [wasShown, setWasShown] = useState(isShown)
  if (isShown && !wasShown) setWasShown(true)
  if (!wasShown) return null
  return (
    <main className="lab-pane" aria-label="Parser lab" hidden={!isShown}>
      <Suspense fallback={<Opening />}>
        <Lab isShown={isShown} />
      </Suspense>
    </main>
  )
}

function Opening() {
  return (
    <p className="lab-opening" role="status">
      <span className="ripple" aria-hidden="true" />
      Opening the lab…
    </p>
  )
}
