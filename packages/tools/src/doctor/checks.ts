import { answerHeaders, requestHeaders } from './checks/headers.ts'
import { buffering } from './checks/buffering.ts'
import { clock } from './checks/clock.ts'
import { compression } from './checks/compression.ts'
import { cors } from './checks/cors.ts'
import { health } from './checks/health.ts'
import { heartbeats } from './checks/heartbeats.ts'
import { httpVersion } from './checks/http-version.ts'
import { idle } from './checks/idle.ts'
import { resume } from './checks/resume.ts'
import type { Check } from './examination.ts'

/** The checks of an open stream, in the order of the report. */
export const checks: Readonly<Record<string, Check>> = {
  buffering,
  compression,
  idle,
  heartbeats,
  request_headers: requestHeaders,
  answer_headers: answerHeaders,
  resume,
  http_version: httpVersion,
  clock,
  cors,
  health,
}

/** Titles of the earlier checks, without which there is nothing to examine. */
const firstTitles: Readonly<Record<string, string>> = { reach: 'Server', access: 'Streams' }

/** Returns the title of a check for people. */
export function titleOf(check: string): string {
  return firstTitles[check] ?? checks[check]?.title ?? check
}
