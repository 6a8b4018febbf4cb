import type { SessionInfo } from '../../stores/port/index.ts'
import { sessionMissing } from '../sessions/load-session.ts'

/** Throws for a session of another owner; it may have been created after access was checked. */
export function checkOwner(
  known: Pick<SessionInfo, 'session' | 'owner'> | undefined,
  owner: string | null = null,
): void {
  if (known !== undefined && owner !== null && known.owner !== owner)
    throw sessionMissing(known.session)
}
