"""Fingerprints of the worlds that settings were chosen on (`evaluation.splits`)."""

# fmt: off
DEVELOPMENT_WORLDS = frozenset(
    (
        # LoCoMo, conversations 0 to 2
        "6c0f38a43068", "8b6e1a4e2cc8", "20baf2e89693",
        # letta-evals, core memory update: fifty worlds
        "48042127b68c", "437163b41cbe", "d3fc8abbba5f", "f8abc736bef5", "2e33def66a91", "82dffce93a25",
        "e6e642ce9123", "fa9a66128d96", "31b7ecd0b1f1", "1581a18733d2", "b4344fabad28", "22d24acaded4",
        "ed8946354391", "f5e2fa283af4", "f1323d7d6a2c", "66b5dac99af4", "afe20c42f69a", "803b2cdcaaca",
        "1c0172b3fa24", "a86201c0082c", "93097b368747", "1ab87fb832ef", "75210bd7fbea", "df003aadb9f0",
        "afc868fae133", "7e7b49a23a16", "d9b693e14292", "d450e8960397", "e7fddd35165b", "708acbae2b59",
        "f95d19c7b161", "aea9888297bf", "6245804fa28e", "e1c88acb2af0", "ed57ecbd5c7f", "901395f97fed",
        "73b93414716a", "fee647e69b58", "3b689396ffe9", "787c055d7d94", "fded9359b516", "d77c913afe97",
        "ee0afae916ff", "6bb3d4877b8e", "f443a9a71970", "9fcf258c0637", "1433b62ba311", "0027628eda24",
        "87002c462a7a", "455553c3b726",
        # our own: parallel in English and in Chinese, and Chinese
        "3ab5a1493aa9", "eade81e7ef00", "e51c030d9d8c",
        # our own: chats with an assistant
        "f53e62931856", "95aa605c9167", "f21b8bd2ddb4",
    )
)
# fmt: on
