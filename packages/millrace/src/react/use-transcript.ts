import { useCallback } from 'react'
import type { Session, SessionSnapshot } from '../client/index.ts'
import type { Transcript } from '../client/transcript/index.ts'
import { useSession } from './use-session.ts'

const whole = (transcript: Transcript): Transcript => transcript

/** Returns the transcript of a session. */
export function useTranscript(session: Session): Transcript
/** Returns the part of a session's transcript that `select` picks. Define `select` outside the component, or memoise it. */
export function useTranscript<T>(session: Session, select: (transcript: Transcript) => T): T
export function useTranscript(
  session: Session,
  select: (transcript: Transcript) => unknown = whole,
): unknown {
  return useSession(
    session,
    useCallback((snapshot: SessionSnapshot) => select(snapshot.transcript), [select]),
  )
}
