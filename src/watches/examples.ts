// Conditions that show the functions and methods of the rule language in use. A test compiles every one.

export const TRANSACTION_EXAMPLES: Readonly<Record<string, string>> = {
  has: 'has(to.name)',
  size: 'size(token_transfers) > 10',
  amount: 'value > amount("0.5")',
  percent: 'fee.value > value * percent("5")',
  re: 're(method, "^(swap|exit)")',
  glob: 'glob(method, "swap*")',
  '.exists': 'token_transfers.exists(t, t.total.value > 1000)',
  '.all': 'token_transfers.all(t, t.from == from)',
  '.exists_one': 'token_transfers.exists_one(t, t.token.symbol == "USDC")',
  '.filter': 'token_transfers.filter(t, t.total.value > 1000).size() > 2',
  '.map': '"USDC" in token_transfers.map(t, t.token.symbol)',
  '.contains': 'revert_reason.contains("paused")',
  '.startsWith': 'method.startsWith("with")',
  '.endsWith': 'method.endsWith("draw")',
  '.lowerAscii': 'method.lowerAscii() == "withdraw"',
  '.upperAscii': 'method.upperAscii() == "WITHDRAW"',
  '.trim': 'method.trim() == "exit"',
  '.size': 'method.size() > 20',
};

export const BLOCK_EXAMPLES: Readonly<Record<string, string>> = {
  duration: 'age > duration("2m")',
  timestamp: 'head.timestamp > timestamp("2026-01-31T00:00:00Z")',
  hour: 'hour("Europe/Berlin") >= 8',
  weekday: 'weekday("Europe/Berlin") in ["sat", "sun"]',
  '.getFullYear': 'timestamp.getFullYear() > 2026',
  '.getMonth': 'timestamp.getMonth() == 0',
  '.getDayOfMonth': 'timestamp.getDayOfMonth() == 0',
  '.getDayOfWeek': 'timestamp.getDayOfWeek() in [0, 6]',
  '.getDayOfYear': 'timestamp.getDayOfYear() == 0',
  '.getHours': 'timestamp.getHours() >= 22',
  '.getMinutes': 'timestamp.getMinutes() < 5',
  '.getSeconds': 'timestamp.getSeconds() == 0',
};
