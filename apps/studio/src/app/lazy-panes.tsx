import { LazyPane, lazyComponent } from '../ui/boundary/index.ts'

const Lab = lazyComponent(async () => (await import('../lab/index.ts')).Lab)

/** Shows the parser lab. */
export function LabPane({ isShown }: { readonly isShown: boolean }) {
  return (
    <LazyPane as="main" className="lab-pane" label="Parser lab" name="The lab" isShown={isShown}>
      <Lab isShown={isShown} />
    </LazyPane>
  )
}

const Sessions = lazyComponent(async () => (await import('../sessions/index.ts')).Sessions)

interface SessionsPaneProps {
  readonly server: string
  readonly isShown: boolean
  readonly onOpen: (id: string) => void
  readonly onNewChat: () => void
}

/** Shows the sessions of the server. */
export function SessionsPane({ isShown, ...rest }: SessionsPaneProps) {
  return (
    <LazyPane
      as="nav"
      className="sessions-pane"
      label="Sessions of the server"
      name="The list of sessions"
      isShown={isShown}
    >
      <Sessions isShown={isShown} {...rest} />
    </LazyPane>
  )
}

const Timeline = lazyComponent(async () => (await import('../timeline/index.ts')).TimelineView)

/** Shows the timeline. */
export function TimelinePane({ isShown }: { readonly isShown: boolean }) {
  return (
    <LazyPane
      as="section"
      className="timeline-pane"
      label="Timeline"
      name="The timeline"
      isShown={isShown}
    >
      <Timeline isShown={isShown} />
    </LazyPane>
  )
}
