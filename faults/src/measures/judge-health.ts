import { allowed, type HealthFigures } from '@millrace/bench/serving'
import type { Finding } from '../trial.ts'
import { thousands } from './in-words.ts'

/** Judges the responses of `/health` to another process during a trial. */
export function judgeHealth(
  what: string,
  where: string,
  { asked, failed, worstMs }: HealthFigures,
): Finding {
  const worst = `${thousands(worstMs)} ms`
  return {
    what: `/health during ${what}`,
    where,
    figures: `${thousands(asked)} asked, ${failed} failed, the slowest ${worst}`,
    bound: `0 failed, ${thousands(allowed.healthMs)} ms`,
    faults: [
      ...(failed === 0 ? [] : [`${failed} of ${asked} health checks failed`]),
      ...(worstMs <= allowed.healthMs ? [] : [`a health check took ${worst}`]),
    ],
  }
}
