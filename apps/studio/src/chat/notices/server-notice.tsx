import type { Transcript } from 'millrace'
import { useAgent, useTranscript } from 'millrace/react'
import { UnreachableHelp, accessTo, toServerName, useAccess } from '../../server/index.ts'
import type { AccessState } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'

const isUnread = ({ lastId }: Transcript): boolean => lastId === 0

/** Returns the problem of the server, if it is not one of the session. */
export function useServerProblem(): AccessState['reachability'] {
  const { session, server } = useStudio()
  const { reachability } = useAccess(server)
  const { connection } = useAgent(session)
  const isNew = useTranscript(session, isUnread)
  if (reachability === 'unauthorized') return reachability
  // A session that was read before, and the page's own server, have other notices.
  const isUnknown = server !== '' && isNew
  return isUnknown && connection.state !== 'streaming' && reachability !== 'open'
    ? reachability
    : undefined
}

/** Shows the problem of a server and the possible actions. */
export function ServerNotice({
  reachability,
}: {
  readonly reachability: NonNullable<AccessState['reachability']>
}) {
  const { session, server } = useStudio()
  const { connection } = useAgent(session)
  const access = accessTo(server)
  const retry = () => {
    void access.check()
    if (connection.state === 'waiting' || connection.state === 'offline') void session.watch()
  }
  const name = toServerName(server)
  if (reachability === 'unauthorized') {
    return (
      <section className="notice" data-tone="warn" aria-label="A token is needed">
        <div>
          <strong>{name} requires a token</strong>
          <p>Nothing can be read or sent without it.</p>
        </div>
        <div className="notice-actions">
          <button type="button" className="button" onClick={() => access.askForToken(true)}>
            Enter the token
          </button>
        </div>
      </section>
    )
  }
  return (
    <section className="notice" data-tone="bad" aria-label="The server cannot be used">
      <div>
        <strong>
          {reachability === 'foreign'
            ? `${name} is not a Millrace server`
            : `${name} does not respond to this page`}
        </strong>
        {reachability === 'foreign' ? (
          <p>Something else responds there. Check the address.</p>
        ) : (
          <UnreachableHelp url={access.url} />
        )}
      </div>
      <div className="notice-actions">
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      </div>
    </section>
  )
}
