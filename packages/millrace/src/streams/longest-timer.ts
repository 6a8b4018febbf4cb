/** Node and browsers fire a timer at once when it is asked to wait longer than this, about 25 days. */
export const LONGEST_TIMER_MS = 2_147_483_647
