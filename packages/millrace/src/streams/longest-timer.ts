/** Longest delay of a timer, about 25 days. Node and browsers fire a longer timer immediately. */
export const LONGEST_TIMER_MS = 2_147_483_647
