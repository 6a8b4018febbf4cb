import { useEffect } from 'react'
import { useAgent } from 'millrace/react'
import { accessTo, useAccess } from '../server/index.ts'
import type { StudioSession } from '../session/index.ts'

/**
 * Checks the server of a session once and again after an unauthorized response, and resumes reading once a token is
 * set.
 */
export function useServerAccess({ session, server }: StudioSession): void {
  const access = accessTo(server)
  const { reachability } = useAccess(server)
  const { connection, prompt } = useAgent(session)
  const isLocked = connection.state === 'failed' && connection.error?.details['status'] === 401
  const isStreaming = connection.state === 'streaming'

  useEffect(() => {
    if (access.getSnapshot().reachability === undefined) void access.check()
  }, [access])
  useEffect(() => {
    if (isLocked) void access.check()
  }, [isLocked, access])
  useEffect(() => {
    const isStale = access.getSnapshot().reachability === 'unreachable'
    if (isStreaming && isStale) void access.check()
  }, [isStreaming, access])
  useEffect(() => {
    // The user sends an unsent prompt again.
    if (reachability === 'open' && isLocked && !prompt) void session.watch()
    // Runs only when a token was set. Later failures are shown.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [reachability])
}
