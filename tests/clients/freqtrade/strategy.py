"""In at every candle, and out again as soon as it is in."""

from freqtrade.strategy import IStrategy


class InAndOut(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    minimal_roi = {"0": -1}
    stoploss = -0.5
    process_only_new_candles = False
    startup_candle_count = 0

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe["enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe["exit_long"] = 0
        return dataframe
