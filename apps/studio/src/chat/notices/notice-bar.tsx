import { useEffect, useState } from 'react'
import type { Connection } from 'millrace/client'
import { useAgent } from 'millrace/react'
import { findServerAddressProblem } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { ServerNotice, useServerProblem } from './server-notice.tsx'

/** Shows a lost or failed connection and the possible actions. */
export function NoticeBar({ onNewChat }: { readonly onNewChat: () => void }) {
  const { session } = useStudio()
  const { connection, prompt } = useAgent(session)
  const { state, error, attempt } = connection
  const serverProblem = useServerProblem()
  const retry = () => void session.watch()
  if (serverProblem) return <ServerNotice reachability={serverProblem} />
  const problem = findServerAddressProblem()
  if (problem !== undefined) {
    const text = `${problem} The page uses its own server instead.`
    return <Notice tone="warn" title="The server in the address cannot be used" text={text} />
  }
  if (state === 'offline') return <Offline isAsking={prompt !== undefined} retry={retry} />
  if (state === 'waiting') return <Waiting {...{ connection, retry }} />
  if (state === 'connecting' && attempt > 0) {
    return <Notice tone="warn" title="Reconnecting…" text="Reading continues where it stopped." />
  }
  if (state === 'replaced') return <Replaced {...{ retry, onNewChat }} />
  // An unsent prompt shows its own error.
  if (state !== 'failed' || prompt) return null
  const { title, text, canRetry, isLost } = toFailure(session.id, error)
  return (
    <Notice tone="bad" {...{ title, text }}>
      {canRetry && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
      {isLost && (
        <button type="button" className="button primary" onClick={onNewChat}>
          New chat
        </button>
      )}
    </Notice>
  )
}

interface Failure {
  readonly title: string
  readonly text: string
  readonly canRetry: boolean
  /** The session cannot be continued. */
  readonly isLost: boolean
}

const sessionPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Describes a connection that failed permanently. */
function toFailure(id: string, error: Connection['error']): Failure {
  if (error?.code === 'bad_request' && !sessionPattern.test(id)) {
    return {
      title: 'The address contains no valid conversation',
      text: `“${id.slice(0, 80)}” is not the id of a session, which is a UUID. Check that the address is complete.`,
      canRetry: false,
      isLost: true,
    }
  }
  if (error?.code === 'not_found') {
    return {
      title: 'This conversation is not on the server',
      text: 'The address may belong to another server. The conversation may have been deleted or expired, or this server keeps conversations only while it runs.',
      canRetry: true,
      isLost: true,
    }
  }
  const text = error?.message ?? 'The server gave no reason.'
  return { title: 'The stream stopped', text, canRetry: true, isLost: false }
}

interface ReplacedProps {
  readonly retry: () => void
  readonly onNewChat: () => void
}

function Replaced({ retry, onNewChat }: ReplacedProps) {
  return (
    <Notice
      tone="bad"
      title="This conversation was replaced"
      text="It was deleted on the server, deleted and started again, or restored from an older copy. This page shows the old one; nothing new is added to it."
    >
      <button type="button" className="button" onClick={retry}>
        Show the current one
      </button>
      <button type="button" className="button primary" onClick={onNewChat}>
        New chat
      </button>
    </Notice>
  )
}

interface OfflineProps {
  /** A prompt is being sent. */
  readonly isAsking: boolean
  readonly retry: () => void
}

function Offline({ isAsking, retry }: OfflineProps) {
  const text = isAsking
    ? 'When the network is back, the page checks whether your message arrived. If it did not, it stays here and you can send it again.'
    : 'Reading continues where it stopped when the network is back.'
  return (
    <Notice tone="warn" title="You are offline" text={text}>
      <TryNow retry={retry} />
    </Notice>
  )
}

interface WaitingProps {
  readonly connection: Connection
  readonly retry: () => void
}

function Waiting({ connection: { attempt, retryAt, error }, retry }: WaitingProps) {
  const seconds = useSecondsUntil(retryAt)
  const when = seconds > 0 ? `in ${seconds} s` : 'now'
  return (
    <Notice
      tone="warn"
      title="The connection was lost"
      text={`Trying again ${when} (attempt ${attempt}). Reading continues where it stopped.`}
      detail={error?.message}
    >
      <TryNow retry={retry} />
    </Notice>
  )
}

function TryNow({ retry }: { readonly retry: () => void }) {
  return (
    <button type="button" className="button" onClick={retry}>
      Try now
    </button>
  )
}

interface NoticeProps {
  readonly tone: 'warn' | 'bad'
  readonly title: string
  readonly text: string
  /** Message of the network, as a tooltip. */
  readonly detail?: string | undefined
  readonly children?: React.ReactNode
}

function Notice({ tone, title, text, detail, children }: NoticeProps) {
  return (
    <section className="notice" data-tone={tone} aria-label={title} title={detail}>
      <div>
        <strong>{title}</strong>
        <p>{text}</p>
      </div>
      {children && <div className="notice-actions">{children}</div>}
    </section>
  )
}

function useSecondsUntil(time: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return time === undefined ? 0 : Math.max(0, Math.ceil((time - now) / 1_000))
}
