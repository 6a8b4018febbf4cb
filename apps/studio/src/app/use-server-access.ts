import { useEffect } from 'react'
import { useAgent } from 'millrace/react'
import { accessTo, useAccess } from '../server/index.ts'
import type { StudioSession } from '../session/index.ts'

/** Looks at the server of a conversation once, and again when it refuses; reads on when the token is there. */
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
    // A prompt that was refused is sent again by whoever wrote it.
    if (reachability === 'open' && isLocked && !prompt) void session.watch()
    // Only when the token was given: what fails after that is told.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [reachability])
}
