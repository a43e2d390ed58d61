export interface Word {
  /** A regular expression that matches whole words, case-insensitively. */
  pattern: string
  instead: string
}

/** Words that obscure the actor or the action, that replace a standard term, or that have a British spelling. */
export const words: readonly Word[] = [
  { pattern: 'anew', instead: 'again' },
  { pattern: 'under way', instead: 'in flight, running, in progress' },
  { pattern: '(left|leaves?|leaving) away', instead: 'omitted' },
  { pattern: 'case aside', instead: 'case-insensitive' },
  { pattern: 'hold time', instead: 'grace period, pending period' },
  { pattern: 'who(so)?ever|somebody|nobody', instead: 'the caller, a user, no user' },
  { pattern: 'dearest', instead: 'most expensive' },
  { pattern: 'turn(s|ed)? away', instead: 'reject' },
  { pattern: '(brought|brings?) to this release', instead: 'migrate, upgrade' },
  { pattern: 'in the place of', instead: 'replace, rotate' },
  { pattern: 'stand(s|ing)? (in|beside|behind|there|by itself)', instead: 'is in, is beside' },
  { pattern: 'mend(s|ed|ing)?', instead: 'fix' },
  { pattern: '(is|are|was|were|be|been|being) told', instead: 'reports, notifies, sends' },
  { pattern: '(tells?|told) of', instead: 'reports, describes' },
  { pattern: "of (its|their|your|his|one's) own", instead: 'separate, or name the owner' },
  { pattern: '(do|does|did) not hold', instead: 'is invalid' },
  { pattern: 'holds? no (more|longer)', instead: 'is no longer valid' },
  { pattern: 'texts', instead: 'strings' },
  { pattern: '(sign|signs|signed|signing) on', instead: 'connect, authenticate' },
  { pattern: 'laid over', instead: 'merged with, overrides' },
  { pattern: 'parted by', instead: 'separated by' },
  { pattern: 'second step', instead: 'two-factor authentication' },
  { pattern: 'colours?|behaviours?|honour(s|ed)?|neighbours?', instead: 'the American spelling' },
  { pattern: '(synchron|organ|recogn|summar)is(e|es|ed|ing|ation)', instead: 'the American spelling' },
]
